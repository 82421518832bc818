import { timestampMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf, TalosBench } from "./testing/bench.ts";
import type { TalosClient } from "./testing/client.ts";

// One after the other, on one control plane.

let bench: TalosBench;
let client: TalosClient;

beforeAll(async () => {
  bench = await TalosBench.open();
  ({ client } = await bench.controlPlane(bench.cluster(), 101, 11));
  await bench.bootstrap(client);
});
afterAll(() => bench.close());

const strike = (name: string, ...args: string[]) => bench.lab.strike(name, args);
const boots = () => bench.state.machines["vm 101"]?.boot?.number;

test("etcd raises an alarm until it is disarmed", async () => {
  strike("etcd-alarm", "cp-11");
  expect((await client.machine.etcdAlarmList({})).messages[0]?.memberAlarms).toHaveLength(1);
  await client.machine.etcdAlarmDisarm({});
  expect((await client.machine.etcdAlarmList({})).messages[0]?.memberAlarms).toEqual([]);
});

test("a clock follows its time servers, also when they are wrong", async () => {
  strike("clock-skew", "cp-11", "1h", "ahead");
  const own = async () => (await client.time.time({})).messages[0];
  const asked = async (server: string) => (await client.time.timeCheck({ server })).messages[0];
  const off = (time: Parameters<typeof timestampMs>[0] | undefined) =>
    time && Math.round((timestampMs(time) - Date.now()) / 60_000) + 0;
  expect([off((await own())?.localtime), off((await own())?.remotetime)]).toEqual([60, 60]);
  const right = await asked("10.10.0.1");
  expect([off(right?.localtime), off(right?.remotetime)]).toEqual([60, 0]);
});

test("a hanging node does not answer while its machine is on, until that is switched off and on", async () => {
  strike("node-hang", "cp-11");
  expect((await refusalOf(client.machine.version({}))).code).not.toBe("OK");
  expect(await bench.proxmox.get("GET", "/nodes/pve1/qemu/101/status/current")).toMatchObject({ status: "running" });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/stop");
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/101/status/start");
  await bench.eventually(() => client.machine.etcdMemberList({}));
});

test("etcd's data is lost after a restart, but its member still exists", async () => {
  const before = boots();
  strike("etcd-lost", "cp-11");
  await bench.eventually(async () => {
    expect(boots()).not.toBe(before);
    const { messages } = await client.machine.serviceList({});
    expect(messages[0]?.services.find(({ id }) => id === "etcd")?.state).toBe("Preparing");
  });
  expect(Object.values(bench.state.etcd)[0]?.members).toHaveLength(1);
});

test("power loss of a node stops its machine", async () => {
  strike("node-off", "cp-11");
  expect(await bench.proxmox.get("GET", "/nodes/pve1/qemu/101/status/current")).toMatchObject({ status: "stopped" });
  expect(() => strike("node-off", "cp-11")).toThrow("there is no node cp-11 that is on");
});

test("an impossible strike is refused with the reason", () => {
  expect(() => strike("clock-skew", "cp-99", "1h")).toThrow("there is no node cp-99");
});
