import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  EtcdMemberAlarm_AlarmType as AlarmType,
  ResetRequest_WipeMode as WipeMode,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { BlockDeviceWipeDescriptor_Method as Method } from "@talosmith/wire/gen/storage/storage_pb.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GoingDown, goDown, isDown } from "../machine/sequences.ts";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";
import type { TestCluster } from "../testing/configs.ts";

let bench: TalosBench;
let cluster: TestCluster;
let client: TalosClient;
let address: string;
let started: number;

beforeEach(async () => {
  started = Date.now();
  bench = await TalosBench.open();
  cluster = bench.cluster();
  ({ client, address } = await bench.controlPlane(cluster, 101, 11));
  await bench.bootstrap(client);
});
afterEach(() => bench.close());

async function textOf(stream: AsyncIterable<{ bytes: Uint8Array }>): Promise<string> {
  let text = "";
  for await (const { bytes } of stream) text += Buffer.from(bytes).toString();
  return text;
}

// Texts in Talos's server code, v1.13.9.
describe("services", () => {
  test("only the kubelet may be restarted, and it comes back", async () => {
    expect((await client.machine.serviceRestart({ id: "kubelet" })).messages[0]?.resp).toBe('Service "kubelet" restarted');
    await bench.eventually(async () => {
      const { messages } = await client.machine.serviceList({});
      expect(messages[0]?.services.find(({ id }) => id === "kubelet")?.health).toMatchObject({ healthy: true, lastMessage: "" });
    });
    expect((await refusalOf(client.machine.serviceRestart({ id: "etcd" }))).text).toBe(
      'service "etcd" doesn\'t support restart operation via API',
    );
    expect(await refusalOf(client.machine.serviceRestart({ id: "unicorn" }))).toEqual({
      code: "Unknown",
      text: 'service "unicorn" not defined',
    });
  });

  // Services with HealthFunc, and their runners: internal/app/machined/pkg/system/services of v1.13.9.
  test("all but the dashboard become healthy, and each has an event with its runner", async () => {
    const { services = [] } = (await client.machine.serviceList({})).messages[0] ?? {};
    const last = Object.fromEntries(services.map(({ id, events }) => [id, events?.events.at(-1)?.msg]));
    for (const id of ["apid", "auditd", "containerd", "cri", "etcd", "kubelet", "machined", "syslogd", "trustd", "udevd"])
      expect([id, last[id]]).toEqual([id, "Health check successful"]);
    expect(last.dashboard).toMatch(/^Process Process\(\["\/sbin\/dashboard"\]\) started with PID \d+$/);
    expect(services.find(({ id }) => id === "dashboard")?.health).toMatchObject({ unknown: true, healthy: false });
    const saidBefore = (id: string) => services.find((one) => one.id === id)?.events?.events.at(-2)?.msg;
    expect(saidBefore("machined")).toBe("Service started as goroutine");
    expect(saidBefore("kubelet")).toMatch(/^Started task kubelet \(PID \d+\) for container kubelet$/);
  });

  test("their last change is in the real time of the test, not in the lab's time", async () => {
    const { services = [] } = (await client.machine.serviceList({})).messages[0] ?? {};
    for (const { health, events } of services)
      for (const at of [health?.lastChange, ...(events?.events.map(({ ts }) => ts) ?? [])]) {
        expect(at && timestampMs(at)).toBeGreaterThanOrEqual(started);
        expect(at && timestampMs(at)).toBeLessThanOrEqual(Date.now());
      }
  });

  test("the end of a log can be requested, and an unknown service has no log", async () => {
    const log = (id: string, tailLines: number) => textOf(client.machine.logs({ namespace: "system", id, tailLines }));
    expect((await log("etcd", -1)).split("\n").length).toBeGreaterThan(2);
    expect((await log("etcd", 1)).split("\n")).toHaveLength(2);
    expect(await log("etcd", 0)).toBe("");
    expect(await refusalOf(log("unicorn", -1))).toEqual({ code: "Unknown", text: 'log "unicorn" was not registered' });
  });
});

test("the kernel log has the facility, the priority and the time of day", async () => {
  const [line = ""] = (await textOf(client.machine.dmesg({}))).split("\n");
  expect(line).toMatch(/^user: warning: \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\]: \[talos\] /);
  expect(Date.parse(/\[(\S+Z)\]/.exec(line)?.[1] ?? "")).toBeGreaterThanOrEqual(started);
});

test("resources have real creation times, and the version is Talos's, not the image's", async () => {
  const { resource } = await client.state.get({
    namespace: "runtime",
    type: "MachineStatuses.runtime.talos.dev",
    id: "machine",
  });
  expect(resource?.metadata?.created && timestampMs(resource.metadata.created)).toBeGreaterThanOrEqual(started);
  const { version } = (await client.machine.version({})).messages[0] ?? {};
  expect(version?.sha).toMatch(/^[0-9a-f]{8}$/);
  expect(bench.state.machines["vm 101"]?.boot?.system.schematic).not.toContain(version?.sha);
});

test("alarms of etcd are in its status until they are disarmed", async () => {
  const [etcd] = Object.values(bench.state.etcd);
  const [member] = etcd?.members ?? [];
  if (!etcd || !member) throw new Error("there is no etcd");
  etcd.alarms = { [member.id]: "NOSPACE" };
  const memberId = BigInt(`0x${member.id}`);
  const { messages } = await client.machine.etcdStatus({});
  // The text that etcd prints for an alarm.
  expect(messages[0]?.memberStatus?.errors).toEqual([`memberID:${memberId} alarm:NOSPACE `]);
  expect((await client.machine.etcdAlarmDisarm({})).messages[0]?.memberAlarms).toMatchObject([
    { memberId, alarm: AlarmType.NOSPACE },
  ]);
  expect((await client.machine.etcdAlarmList({})).messages[0]?.memberAlarms).toEqual([]);
});

describe("an impossible reset", () => {
  const cases: [text: string, request: Parameters<TalosClient["machine"]["reset"]>[0]][] = [
    ["reset user disk failed: device /dev/sdx wasn't found", { userDisksToWipe: ["/dev/sdx"] }],
    ["reset user disk failed: device /dev/sda is the system disk", { userDisksToWipe: ["/dev/sda"] }],
    [
      "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter",
      { userDisksToWipe: ["/dev/sda"], mode: WipeMode.SYSTEM_DISK },
    ],
    [
      "reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter",
      { systemPartitionsToWipe: [{ label: "STATE", wipe: true }], mode: WipeMode.USER_DISKS },
    ],
    ['failed to get volume status with label "UNICORN"', { systemPartitionsToWipe: [{ label: "UNICORN", wipe: true }] }],
  ];
  test.each(cases)("%s", async (text, request) => {
    const refused = await refusalOf(client.machine.reset(request));
    expect(refused.code).toBe("Unknown");
    expect(refused.text).toContain(text);
    expect(bench.state.machines["vm 101"]?.boot?.sequence).toBeUndefined();
  });
});

test("the time is that of the configured servers", async () => {
  expect((await client.time.time({})).messages[0]?.server).toBe("time.cloudflare.com");
  const config = cluster.config("controlplane", "cp-11", [
    { apiVersion: "v1alpha1", kind: "TimeSyncConfig", ntp: { servers: ["10.0.0.1"] } },
  ]);
  await client.machine.applyConfiguration({ data: Buffer.from(config), mode: 2 });
  expect((await client.time.time({})).messages[0]?.server).toBe("10.0.0.1");
  expect((await refusalOf(client.time.timeCheck({}))).text).toBe("ntp server is required");
});

/** docs/facts/talos.md#forwarding */
describe("calls for several nodes", () => {
  test("an error of one node is a message among the others", async () => {
    const absent = bench.lab.address.host(99);
    const { messages } = await client.machine.hostname({}, { headers: { nodes: `${address}, ${absent}` } });
    expect(messages.map(({ hostname }) => hostname)).toEqual(["cp-11", ""]);
    expect(messages[1]?.metadata).toMatchObject({ hostname: absent, status: { code: 14 } });
    expect(messages[1]?.metadata?.error).toMatch(/^rpc error: code = Unavailable desc = connection error: /);
  });

  test("streams are merged, each message with its node", async () => {
    await bench.controlPlane(cluster, 102, 12);
    const two = bench.lab.address.host(12);
    const seen = new Set<string>();
    for await (const { metadata } of client.machine.dmesg({}, { headers: { nodes: `${address}, ${two}` } })) {
      seen.add(metadata?.hostname ?? "");
    }
    expect([...seen].sort()).toEqual([address, two].sort());
  });

  test("resources can be read from one node at a time", async () => {
    const get = { namespace: "runtime", type: "Versions.runtime.talos.dev", id: "version" };
    expect(await refusalOf(client.state.get(get, { headers: { nodes: address } }))).toEqual({
      code: "InvalidArgument",
      text: "one-2-many proxying is not supported for method /cosi.resource.State/Get",
    });
  });
});

test("events include phases and tasks, and can be filtered by actor", async () => {
  const kinds = new Set<string>();
  // It fails at the end, so that the machine stays up to report it.
  bench.lab.setFaults([{ site: "/machine.MachineService/Reboot", fault: { kind: "task-error", message: "no" } }]);
  const { messages } = await client.machine.reboot({});
  const withActorId = messages[0]?.actorId ?? "";
  for await (const { data, actorId } of client.machine.events({ tailEvents: -1, withActorId })) {
    if (data?.typeUrl === "") continue;
    expect(actorId).toBe(withActorId);
    kinds.add(data?.typeUrl.replace("talos/runtime/machine.", "") ?? "");
    if (kinds.has("RestartEvent")) break;
  }
  expect([...kinds].sort()).toEqual(["PhaseEvent", "RestartEvent", "SequenceEvent", "TaskEvent"]);
});

/** Events of sequences in their order: the actor, the sequence, and its action. */
function sequences(): [actor: string, sequence: string, what: string | number][] {
  const events = bench.state.machines["vm 101"]?.boot?.events ?? [];
  return events.flatMap(({ actor, what }) =>
    what.kind === "sequence" ? [[actor, what.sequence, what.error?.code ?? what.action] as const] : [],
  ) as [string, string, string | number][];
}

// internal/app/machined/pkg/runtime/sequencer.go of v1.13.9: a reboot replaces a running reboot, a reset replaces nothing.
test("a second reboot replaces the first, whose actor gets an event that it was canceled", async () => {
  const told = await bench.lab.turn(() => {
    const machine = bench.state.machines["vm 101"];
    const boot = machine?.boot;
    if (!machine || !boot) throw new Error("there is no machine");
    for (const actor of ["one", "two"]) goDown(bench.lab, machine, boot, { sequence: "reboot", actor, afterwards: "restart" });
    goDown(bench.lab, machine, boot, { sequence: "reset", actor: "three", afterwards: "off" });
    return sequences().slice(-4);
  });
  const [CANCELED, LOCKED] = [2, 1];
  expect(told).toEqual([
    ["one", "reboot", "START"],
    ["one", "reboot", CANCELED],
    ["two", "reboot", "START"],
    ["", "reset", LOCKED],
  ]);
  const before = bench.state.machines["vm 101"]?.boot?.number ?? 0;
  await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot?.stage).toBe("running"));
  // It rebooted once.
  expect(bench.state.machines["vm 101"]?.boot?.number).toBeLessThanOrEqual(before + 1);
});

test("a reset replaced by a reboot wipes nothing", async () => {
  await bench.lab.turn(() => {
    const machine = bench.state.machines["vm 101"];
    const boot = machine?.boot;
    if (!machine || !boot) throw new Error("there is no machine");
    const reset: GoingDown = { sequence: "reset", actor: "one", afterwards: "off", wipe: { labels: [], graceful: false } };
    goDown(bench.lab, machine, boot, reset);
    const { ticket = 0 } = boot.goesDown ?? {};
    goDown(bench.lab, machine, boot, { sequence: "reboot", actor: "two", afterwards: "restart" });
    isDown(bench.lab, machine, boot, reset, ticket);
    expect(bench.state.disks[boot.disk ?? ""]).toMatchObject({ config: expect.stringContaining("cp-11") });
  });
});

// internal/app/storaged/server.go of v1.13.9
describe("wiping block devices", () => {
  const wipe = (device: string) =>
    refusalOf(client.storage.blockDeviceWipe({ devices: [{ device, method: Method.ZEROES, dropPartition: true }] }));

  test("a partition with a machine config is listed until it is wiped; disks used by Talos are refused", async () => {
    expect(await wipe("sda3")).toEqual({ code: "FailedPrecondition", text: 'blockdevice "sda3" is in use by volume "STATE"' });
    expect(await wipe("sda")).toEqual({ code: "FailedPrecondition", text: 'blockdevice "sda" is in use by volume "EPHEMERAL"' });
    expect(await wipe("sr0")).toEqual({ code: "FailedPrecondition", text: 'blockdevice "sr0" is read-only' });
    expect(await wipe("sda5")).toEqual({ code: "NotFound", text: 'blockdevice "sda5" not found' });
    const volume = () => bench.resource(client, "runtime", "DiscoveredVolumes.block.talos.dev", "sda5");
    bench.lab.turn(() => {
      const disk = bench.state.machines["vm 101"]?.boot?.disk ?? "";
      const written = bench.state.disks[disk];
      if (written) written.configVolume = { index: 5, bytes: 1024 ** 2 };
    });
    expect(await volume()).toMatchObject({
      type: "partition",
      parent: "sda",
      name: "iso9660",
      label: "metal-iso",
      partition_label: "metal-iso",
      partition_index: 5,
    });
    expect(await wipe("sda5")).toEqual({ code: "OK", text: "" });
    expect((await refusalOf(volume())).code).toBe("NotFound");
  });
});
