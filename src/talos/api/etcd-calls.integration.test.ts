import { EtcdMemberAlarm_AlarmType as AlarmType } from "@talosmith/wire/gen/machine/machine_pb.js";
import { expect, test } from "vitest";
import { nodeThat, signal, useOneNode } from "./testing/one-node.ts";

useOneNode();

const BIG = 18446744073709551615n;

test("etcd's state is told with all 64 bits of its ids", async () => {
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
