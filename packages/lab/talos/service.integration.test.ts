import { connect } from "node:tls";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  ApplyConfigurationRequestSchema,
  ApplyConfigurationRequest_Mode as Mode,
  ReadRequestSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { afterEach, expect, test } from "vitest";
import { meetsFaults } from "../kernel/testing/fault-contract.ts";
import { forgetHolders } from "./addresses.ts";
import { refusals } from "./refusals.ts";
import { SERVICE, type TalosState } from "./state.ts";
import { refusalOf, TalosBench } from "./testing/bench.ts";
import type { ClientIdentity } from "./testing/configs.ts";
import { heardByGrpc } from "./testing/grpc-stranger.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

async function bootId(client: ReturnType<TalosBench["client"]>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of client.machine.read({ path: "/proc/sys/kernel/random/boot_id" })) parts.push(bytes);
  return Buffer.concat(parts).toString().trim();
}

test("a control plane gets its config, is bootstrapped and becomes healthy", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const { client } = await bench.controlPlane(cluster, 101, 11);
  await bench.bootstrap(client);
  await bench.eventually(async () => {
    const status = await bench.resource(client, "runtime", "MachineStatuses.runtime.talos.dev", "machine");
    expect(status).toEqual({ stage: "running", status: { ready: true, unmetConditions: [] } });
  });
  const { messages } = await client.machine.etcdMemberList({});
  expect(messages[0]?.members.map(({ hostname, isLearner }) => ({ hostname, isLearner }))).toEqual([
    { hostname: "cp-11", isLearner: false },
  ]);
});

test("a machine without a config shows its SMBIOS id, its MAC address and its disks", async () => {
  bench = await TalosBench.open();
  const address = await bench.machine(101, 11);
  const client = bench.client(address);
  const disks = await bench.eventually(() => client.storage.disks({}));
  const config = await bench.proxmox.get("GET", "/nodes/pve1/qemu/101/config");
  const { uuid } = await bench.resource(client, "hardware", "SystemInformations.hardware.talos.dev", "systeminformation");
  expect(config.smbios1).toBe(`uuid=${uuid}`);
  const link = await bench.resource(client, "network", "LinkStatuses.net.talos.dev", "eth0");
  expect(link.permanentAddr).toBe("bc:24:11:00:00:0b");
  expect(disks.messages[0]?.disks.map(({ deviceName, readonly }) => [deviceName, readonly])).toEqual([
    ["/dev/sda", false],
    ["/dev/sr0", true],
  ]);
});

test("a machine that has just got its first config uses another key in the handshake, and answers no calls", async () => {
  bench = await TalosBench.open();
  const address = await bench.machine(101, 11);
  await bench.eventually(() => bench.client(address).storage.disks({}));
  const before = await keyAt(address);
  // The state that `configure` creates for three seconds.
  bench.lab.turn(() => {
    const boot = bench.state.machines["vm 101"]?.boot;
    if (boot) boot.api = "leaving maintenance";
    forgetHolders(bench.state);
  });
  await bench.eventually(async () => expect(await keyAt(address)).not.toBe(before));
  expect((await refusalOf(bench.client(address).storage.disks({}))).code).not.toBe("OK");
});

function keyAt(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 50_000, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => {
      resolve(socket.getPeerX509Certificate()?.publicKey.export({ type: "spki", format: "pem" }).toString() ?? "");
      socket.destroy();
    }).on("error", reject);
  });
}

test("a machine without an address on its cloud-init drive is unreachable", async () => {
  bench = await TalosBench.open();
  const address = await bench.machine(101, 11, { start: false });
  await bench.proxmox.get("PUT", "/nodes/pve1/qemu/101/config", { delete: "ipconfig0" });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/start");
  await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot?.stage).toBe("maintenance"));
  expect((await refusalOf(bench.client(address).storage.disks({}))).code).toBe("Unavailable");
});

test("a machine with empty disks boots nothing", async () => {
  bench = await TalosBench.open();
  await bench.proxmox.task("POST", "/nodes/pve1/qemu", { vmid: 101, scsi0: "local-lvm:10", boot: "order=scsi0" });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/start");
  await bench.eventually(() => expect(bench.state.machines["vm 101"]).toBeDefined());
  expect(bench.state.machines["vm 101"]?.boot).toBeUndefined();
});

test("of two machines with the same address the first one answers", async () => {
  bench = await TalosBench.open();
  const address = await bench.machine(101, 11);
  await bench.eventually(() => bench.client(address).storage.disks({}));
  await bench.machine(102, 12, { ip: address });
  await bench.eventually(() => expect(bench.state.machines["vm 102"]?.boot?.stage).toBe("maintenance"));
  const client = bench.client(address);
  const { uuid } = await bench.resource(client, "hardware", "SystemInformations.hardware.talos.dev", "systeminformation");
  expect(uuid).toBe(bench.state.machines["vm 101"]?.hardware.uuid);
});

test("an address outside loopback is served at the lab's address with the same last number", async () => {
  bench = await TalosBench.open();
  await bench.machine(101, 11, { ip: "10.10.0.11" });
  const client = bench.client(bench.lab.address.host(11));
  await bench.eventually(() => client.storage.disks({}));
  const addresses = await bench.resource(client, "network", "NodeAddresses.net.talos.dev", "default");
  expect(addresses.addresses).toEqual(["10.10.0.11/24"]);
});

test("a stopped machine does not answer, and comes back with its config and another boot id", async () => {
  bench = await TalosBench.open();
  const { address, client } = await bench.controlPlane(bench.cluster(), 101, 11);
  const before = await bootId(client);
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/stop");
  await bench.eventually(async () => expect((await refusalOf(bench.client(address).storage.disks({}))).code).toBe("Unavailable"));
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/start");
  const after = await bench.eventually(() => bootId(client));
  expect(after).not.toBe(before);
});

test("a machine created again under the same id has an empty disk", async () => {
  bench = await TalosBench.open();
  const { address } = await bench.controlPlane(bench.cluster(), 101, 11);
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/stop");
  await bench.proxmox.task("DELETE", "/nodes/pve1/qemu/101");
  await bench.machine(101, 11);
  await bench.eventually(() => bench.client(address).storage.disks({}));
  expect(Object.keys(bench.state.disks)).toHaveLength(1);
});

test("clones of a template that never booted have no config, a clone of a configured machine has its config", async () => {
  bench = await TalosBench.open();
  const address = await bench.machine(900, 90, { start: false });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/900/clone", { newid: 101, full: 1 });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/start");
  await bench.apply(address, bench.cluster().config("controlplane", "cp-1"));
  await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot?.config).toBeDefined());
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/stop");
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/clone", { newid: 102, full: 1 });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/900/clone", { newid: 103, full: 1 });
  for (const vmid of [102, 103]) await bench.proxmox.task("POST", `/nodes/pve1/qemu/${vmid}/status/start`);
  await bench.eventually(() => {
    expect(bench.state.machines["vm 102"]?.boot?.config).toBeDefined();
    expect(bench.state.machines["vm 103"]?.boot?.stage).toBe("maintenance");
  });
});

test("a reboot keeps the machine running for Proxmox, a shutdown ends it", async () => {
  bench = await TalosBench.open();
  const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
  const before = await bootId(client);
  const { messages } = await client.machine.reboot({});
  expect(messages[0]?.actorId).toMatch(/^[0-9a-f-]{36}$/);
  await bench.eventually(async () => expect(await bootId(client)).not.toBe(before));
  expect((await bench.proxmox.get("GET", "/nodes/pve1/qemu/101/status/current")).status).toBe("running");
  await client.machine.shutdown({});
  await bench.eventually(async () =>
    expect((await bench.proxmox.get("GET", "/nodes/pve1/qemu/101/status/current")).status).toBe("stopped"),
  );
});

test("a reset of STATE and EPHEMERAL leads back to maintenance mode, one of the whole disk to an unbootable machine", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const { address, client } = await bench.controlPlane(cluster, 101, 11);
  const systemPartitionsToWipe = ["STATE", "EPHEMERAL"].map((label) => ({ label, wipe: true }));
  await client.machine.reset({ graceful: false, reboot: true, systemPartitionsToWipe });
  await bench.eventually(() => bench.client(address).storage.disks({}));
  await bench.apply(address, cluster.config("controlplane", "cp-11"));
  await bench.eventually(() => client.machine.reset({ graceful: false, reboot: true }));
  await bench.eventually(() => expect(bench.state.machines["vm 101"]).toMatchObject({ key: "vm 101" }));
  await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot).toBeUndefined());
});

test("a metal machine installs itself and boots from its disk", async () => {
  bench = await TalosBench.open({ metal: [{ name: "rack-1", address: 31, talos: "v1.13.9" }] });
  const address = bench.lab.address.host(31);
  const cluster = bench.cluster();
  await bench.apply(address, cluster.config("controlplane", "rack-1"));
  const client = bench.client(address, cluster.client());
  await bench.eventually(() => client.machine.version({}));
  const disk = await bench.resource(client, "runtime", "SystemDisks.block.talos.dev", "system-disk");
  expect(disk).toEqual({ diskID: "sda", devPath: "/dev/sda" });
});

test("a metal machine that is shut down does not answer, and starts again from its disk", async () => {
  bench = await TalosBench.open({ metal: [{ name: "rack-1", address: 31, talos: "v1.13.9" }] });
  const address = bench.lab.address.host(31);
  const cluster = bench.cluster();
  await bench.apply(address, cluster.config("controlplane", "rack-1"));
  const client = bench.client(address, cluster.client());
  await bench.eventually(() => client.machine.version({}));
  await client.machine.shutdown({ force: true });
  await bench.eventually(() => expect(bench.state.machines["metal rack-1"]?.boot).toBeUndefined());
  bench.lab.strike("node-restart", ["rack-1"]);
  await bench.eventually(() => client.machine.version({}));
});

test("a lab restored during a boot continues from there", async () => {
  // The three seconds in which it leaves maintenance mode must be longer than the call takes on a busy machine.
  bench = await TalosBench.open({ timeScale: 20 });
  const cluster = bench.cluster();
  const address = await bench.machine(101, 11);
  await bench.apply(address, cluster.config("controlplane", "cp-11"));
  const snapshot = bench.lab.snapshot();
  const { talos } = JSON.parse(snapshot).services as { talos: TalosState };
  expect(talos.machines["vm 101"]?.boot?.api).toBe("leaving maintenance");
  const client = bench.client(address, cluster.client());
  await bench.eventually(() => client.machine.version({}));
  const first = await bootId(client);
  bench.lab.restore(snapshot);
  await bench.eventually(() => client.machine.version({}));
  expect(await bootId(client)).toBe(first);
});

/** Checks the faults of a stream, and of a call that changes something. */
async function everyFault(identity: ClientIdentity): Promise<void> {
  const { lab, state } = bench;
  const url = `https://${lab.address.host(11)}:50000`;
  const configOf = () => state.machines["vm 101"]?.boot?.config ?? "";
  const read = "/machine.MachineService/Read";
  const file = toBinary(ReadRequestSchema, create(ReadRequestSchema, { path: "/proc/sys/kernel/random/boot_id" }));
  const reading = { service: SERVICE, site: read, make: () => heardByGrpc(url, read, file, identity) };
  await meetsFaults(lab, reading, refusals.unavailable);
  const apply = "/machine.MachineService/ApplyConfiguration";
  const applying = {
    service: SERVICE,
    site: apply,
    make: () => {
      const is = configOf().includes("debug: true");
      const data = Buffer.from(configOf().replace(`debug: ${is}`, `debug: ${!is}`));
      const request = create(ApplyConfigurationRequestSchema, { data, mode: Mode.NO_REBOOT });
      return heardByGrpc(url, apply, toBinary(ApplyConfigurationRequestSchema, request), identity);
    },
    effect: configOf,
  };
  await meetsFaults(lab, applying, refusals["apply-in-progress"]);
}

test("calls are recorded, and faults can refuse, delay and cut them", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const { client } = await bench.controlPlane(cluster, 101, 11);
  const site = "/machine.MachineService/Version";
  bench.lab.setFaults([{ site, fault: { kind: "refuse", status: 503, message: "not now" } }]);
  expect(await refusalOf(client.machine.version({}))).toEqual({ code: "Unavailable", text: "not now" });
  bench.lab.setFaults([{ site, fault: { kind: "cut-before" } }]);
  expect((await refusalOf(client.machine.version({}))).code).not.toBe("OK");
  bench.lab.setFaults([{ site: "/machine.MachineService/ApplyConfiguration", fault: { kind: "cut-after" } }]);
  const data = Buffer.from(bench.state.machines["vm 101"]?.boot?.config?.replace("debug: false", "debug: true") ?? "");
  expect((await refusalOf(client.machine.applyConfiguration({ data, mode: Mode.AUTO }))).code).not.toBe("OK");
  expect(bench.state.machines["vm 101"]?.boot?.config).toContain("debug: true");
  bench.lab.setFaults([]);
  await bench.eventually(() => client.machine.version({}));
  const recorded = bench.lab.recorder.calls().filter((call) => call.service === SERVICE && call.site === site);
  await everyFault(cluster.client());
  expect(recorded.map(({ resource, fault }) => [resource, fault])).toContainEqual(["vm-101", "cut-before"]);
  expect(recorded.at(-1)).toMatchObject({ status: 0, mutating: false });
});
