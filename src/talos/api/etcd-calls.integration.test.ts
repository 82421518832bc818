import { Code, ConnectError } from "@connectrpc/connect";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "@talosmith/wire/gen/machine/machine_pb.js";
import { expect, test } from "vitest";
import { failure, nodeThat, open, signal, useOneNode } from "./testing/one-node.ts";

useOneNode();

const BIG = 18446744073709551615n;

test("etcd's state contains all 64 bits of its ids", async () => {
  const memberStatus = {
    memberId: BIG,
    leader: BIG - 1n,
    protocolVersion: "3.6.11",
    dbSize: 20_971_520n,
    dbSizeInUse: 8_388_608n,
    raftIndex: 1234n,
    raftTerm: 3n,
    errors: ["etcdserver: no leader"],
  };
  const node = await nodeThat({ machine: { etcdStatus: () => ({ messages: [{ memberStatus }] }) } });
  expect(await node.etcdStatus(signal)).toEqual({
    id: BIG,
    leader: BIG - 1n,
    isLearner: false,
    version: "3.6.11",
    dbSize: 20_971_520,
    dbSizeInUse: 8_388_608,
    raftIndex: 1234n,
    raftTerm: 3n,
    errors: ["etcdserver: no leader"],
  });
});

test("an alarm is one when it says what of", async () => {
  const memberAlarms = [
    { memberId: 1n, alarm: AlarmType.NONE },
    { memberId: BIG, alarm: AlarmType.NOSPACE },
    { memberId: 2n, alarm: AlarmType.CORRUPT },
  ];
  const node = await nodeThat({ machine: { etcdAlarmList: () => ({ messages: [{ memberAlarms }] }) } });
  expect(await node.etcdAlarms(signal)).toEqual([
    { member: BIG, alarm: "NOSPACE" },
    { member: 2n, alarm: "CORRUPT" },
  ]);
});

test("alarms are taken back by one call", async () => {
  let calls = 0;
  const etcdAlarmDisarm = () => {
    calls++;
    return { messages: [{}] };
  };
  await (await nodeThat({ machine: { etcdAlarmDisarm } })).disarmEtcd(signal);
  expect(calls).toBe(1);
});

test.each([
  ["the new leader is named", "cp-2", "cp-2"],
  ["who did not lead has nothing to hand over", "", undefined],
])("when the lead is given up, %s", async (_, member, expected) => {
  const node = await nodeThat({ machine: { etcdForfeitLeadership: () => ({ messages: [{ member }] }) } });
  expect(await node.forfeitLeadership(signal)).toBe(expected);
});

async function bytesOf(of: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of of) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("a snapshot comes in pieces and ends with etcd's last one", async () => {
  const node = await nodeThat({
    machine: {
      async *etcdSnapshot() {
        for (const text of ["data", "base", "sum"]) yield { bytes: Buffer.from(text) };
      },
    },
  });
  expect(await bytesOf(node.etcdSnapshot(signal))).toBe("databasesum");
});

test.each([
  ["etcd does not run", Code.Unavailable, "TALOS_UNAVAILABLE", true],
  ["etcd refuses", Code.Unknown, "TALOS_UNAVAILABLE", true],
  ["the certificate has not the role", Code.PermissionDenied, "TALOS_DENIED", false],
])("when %s, the error of a snapshot says so", async (why, code, expected, transient) => {
  const node = await nodeThat({
    machine: {
      // biome-ignore lint/correctness/useYield: it fails before.
      async *etcdSnapshot() {
        throw new ConnectError(why, code);
      },
    },
  });
  expect(await failure(bytesOf(node.etcdSnapshot(signal)))).toMatchObject({ code: expected, transient });
});

test("a snapshot that stops in the middle is given up after its limit", async () => {
  open(60);
  const node = await nodeThat({
    machine: {
      async *etcdSnapshot(_, { signal: over }) {
        yield { bytes: Buffer.from("data") };
        await new Promise((resolve) => over.addEventListener("abort", resolve));
      },
    },
  });
  const error = await failure(bytesOf(node.etcdSnapshot(signal)));
  expect(error).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true, detail: "DeadlineExceeded: no answer within 30 s" });
});
