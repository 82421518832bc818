import { Code, ConnectError } from "@connectrpc/connect";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import {
  type BlockDeviceWipeRequest,
  Disk_DiskType as DiskType,
  BlockDeviceWipeDescriptor_Method as WipeMethod,
} from "@talosmith/wire/gen/storage/storage_pb.js";
import { expect, test } from "vitest";
import { CONFIG, failure, nodeThat, signal, useOneNode } from "./testing/one-node.ts";

useOneNode();

test("a node tells its hostname", async () => {
  const node = await nodeThat({ machine: { hostname: () => ({ messages: [{ hostname: "cp-1" }] }) } });
  expect(await node.hostname(signal)).toBe("cp-1");
});

test("its memory, which Talos counts in KiB, is returned in bytes", async () => {
  const node = await nodeThat({ machine: { memory: () => ({ messages: [{ meminfo: { memtotal: 4_028_416n } }] }) } });
  expect(await node.memoryBytes(signal)).toBe(4_125_097_984);
});

test("its clock and the time server's are returned in milliseconds", async () => {
  const at = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 500_000_000 });
  const reply = { server: "time.cloudflare.com", localtime: at(1_763_200_000), remotetime: at(1_763_200_001) };
  const node = await nodeThat({ time: { time: () => ({ messages: [reply] }) } });
  expect(await node.time(signal)).toEqual({
    server: "time.cloudflare.com",
    local: 1_763_200_000_500,
    remote: 1_763_200_001_500,
  });
});

test("its disks have the names that users know", async () => {
  const disk = { deviceName: "/dev/nvme0n1", size: 40_000_000_000n, model: "M", serial: "S", wwid: "W", systemDisk: true };
  const node = await nodeThat({ storage: { disks: () => ({ messages: [{ disks: [{ ...disk, type: DiskType.NVME }] }] }) } });
  expect(await node.disks(signal)).toEqual([
    {
      path: "/dev/nvme0n1",
      size: 40_000_000_000,
      model: "M",
      serial: "S",
      wwid: "W",
      type: "nvme",
      isSystem: true,
      readonly: false,
    },
  ]);
});

test("its boot is known by the kernel's own id", async () => {
  const paths: string[] = [];
  const node = await nodeThat({
    machine: {
      async *read({ path }) {
        paths.push(path);
        yield { bytes: Buffer.from("0d7a9c6e-8f6b-4c55-") };
        yield { bytes: Buffer.from("a2a7-7f1b3c9d2e10\n") };
      },
    },
  });
  expect(await node.bootId(signal)).toBe("0d7a9c6e-8f6b-4c55-a2a7-7f1b3c9d2e10");
  expect(paths).toEqual(["/proc/sys/kernel/random/boot_id"]);
});

test("a file that is not there is not found, for good", async () => {
  const read = () => {
    throw new ConnectError("stat /proc/sys/kernel/random/boot_id: no such file or directory", Code.NotFound);
  };
  const node = await nodeThat({ machine: { read } });
  expect(await failure(node.bootId(signal))).toMatchObject({ code: "TALOS_NOT_FOUND", transient: false });
});

test("a config on trial goes back by itself after the time that was given", async () => {
  const seen: unknown[] = [];
  const node = await nodeThat({
    machine: {
      applyConfiguration: ({ mode, dryRun, tryModeTimeout }) => {
        seen.push({ mode, dryRun, seconds: tryModeTimeout?.seconds });
        return { messages: [{ mode, modeDetails: "Applied configuration without a reboot" }] };
      },
    },
  });
  await node.apply(CONFIG, "try", signal, { tryFor: 90_000 });
  await node.apply(CONFIG, "try", signal);
  expect(seen).toEqual([
    { mode: Mode.TRY, dryRun: false, seconds: 90n },
    { mode: Mode.TRY, dryRun: false, seconds: undefined },
  ]);
});

test("a dry run says whether it would reboot, and keeps the diff for itself", async () => {
  // generateDiff of Talos 1.13.9.
  const modeDetails =
    "Dry run summary:\nApplied configuration with a reboot (skipped in dry-run).\nConfig diff:\n\n-    token: abc\n+    token: def\n";
  const node = await nodeThat({
    machine: { applyConfiguration: ({ dryRun }) => ({ messages: dryRun ? [{ mode: Mode.REBOOT, modeDetails }] : [] }) },
  });
  expect(await node.apply(CONFIG, "auto", signal, { dryRun: true })).toEqual({
    rebooting: true,
    details: "Dry run summary:\nApplied configuration with a reboot (skipped in dry-run).",
    warnings: [],
  });
});

test("a service is restarted by its name", async () => {
  const ids: string[] = [];
  const node = await nodeThat({
    machine: {
      serviceRestart: ({ id }) => {
        ids.push(id);
        return { messages: [{ resp: `Service "${id}" restarted` }] };
      },
    },
  });
  await node.restartService("kubelet", signal);
  expect(ids).toEqual(["kubelet"]);
});

test("calls that take a node down return the actor to follow in the events", async () => {
  const down = () => ({ messages: [{ actorId: "6d0b6f2e" }] });
  const node = await nodeThat({ machine: { reboot: down, shutdown: down, reset: down } });
  expect([
    await node.reboot(signal),
    await node.shutdown({ force: true }, signal),
    await node.reset({ graceful: true, reboot: true }, signal),
  ]).toEqual(["6d0b6f2e", "6d0b6f2e", "6d0b6f2e"]);
});

test("members found through discovery have name, address and role", async () => {
  // As `talosctl get members -o yaml` shows them.
  const yamlSpec =
    "nodeId: 7x1SuC8Ege5BGXdAfTEff5iQnlWZLfv9h1LGMxA2pYkC\naddresses:\n    - 10.10.0.11\n    - fd00::11\nhostname: cp-1\nmachineType: controlplane\noperatingSystem: Talos (v1.13.9)\ncontrolPlane:\n    port: 6443\n";
  const node = await nodeThat({
    state: {
      async *list({ type }) {
        yield { resource: { metadata: { type, id: "cp-1", version: "1", phase: "running" }, spec: { yamlSpec } } };
      },
    },
  });
  expect(await node.members(signal)).toEqual([
    {
      name: "cp-1",
      hostname: "cp-1",
      addresses: ["10.10.0.11", "fd00::11"],
      role: "controlplane",
      operatingSystem: "Talos (v1.13.9)",
    },
  ]);
});

test("a partition is overwritten with zeroes and dropped, under the checks that Talos has", async () => {
  const asked: BlockDeviceWipeRequest[] = [];
  const node = await nodeThat({
    storage: {
      blockDeviceWipe: (request) => {
        asked.push(request);
        return { messages: [{}] };
      },
    },
  });
  await node.wipePartition("sda5", signal);
  expect(asked).toMatchObject([
    {
      devices: [
        { device: "sda5", method: WipeMethod.ZEROES, dropPartition: true, skipVolumeCheck: false, skipSecondaryCheck: false },
      ],
    },
  ]);
});
