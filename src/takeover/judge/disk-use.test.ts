import { expect, test } from "vitest";
import { aDisk, aWish } from "../testing/a-server.ts";
import { diskIsFree } from "./disk-use.ts";

const refusals = (own: Parameters<typeof aDisk>[0], wish: Parameters<typeof aWish>[0] = {}) =>
  diskIsFree(aDisk(own), aWish(wish)).map(({ code, detail, hint, where }) => ({
    code,
    facts: detail?.split("\n").slice(1, -1),
    hint,
    where: where?.file,
  }));

test("a disk that nothing uses and that belongs to nothing is free", () => {
  expect(refusals({})).toEqual([]);
  expect(refusals({}, { eraseMembers: true })).toEqual([]);
});

test("a mounted disk is refused with all of its uses and the commands that end them, in order", () => {
  const mounted = {
    inUse: ["sda1 is mounted at /mnt", "sda2 is swap in use"],
    mountpoints: ["/mnt"],
    release: ["umount /mnt", "swapoff /dev/sda2"],
  };
  expect(refusals(mounted)).toEqual([
    {
      code: "DISK_MOUNTED",
      facts: mounted.inUse,
      hint: "as root on 203.0.113.11:  umount /mnt && swapoff /dev/sda2; then run the same command again. Check that it is the right disk.",
      where: undefined,
    },
  ]);
});

test.each([{}, { mountpoints: [] }])("a disk in use that is not mounted is refused as in use: %j", (own) => {
  expect(refusals({ inUse: ["sda2 is swap in use"], release: ["swapoff /dev/sda2"], ...own })).toMatchObject([
    {
      code: "DISK_IN_USE",
      facts: ["sda2 is swap in use"],
      hint: expect.stringMatching(/^as root on 203\.0\.113\.11: {2}swapoff/),
    },
  ]);
});

test.each([{}, { release: [] }])("without a known command, the hint asks to stop the use: %j", (own) => {
  expect(refusals({ inUse: ["a program has it open"], ...own })).toMatchObject([
    { code: "DISK_IN_USE", hint: expect.stringMatching(/^stop what uses it; then run the same command again\./) },
  ]);
});

test("a member of arrays or groups is refused with each of them, unless the config allows to erase members", () => {
  const member = { members: ["RAID md0 (sda1)", "LVM vg0 (sda2)"] };
  expect(refusals(member)).toMatchObject([
    {
      code: "DISK_MEMBER",
      facts: ["it belongs to RAID md0 (sda1)", "it belongs to LVM vg0 (sda2)"],
      where: "nodes.vps-1.installDisk",
    },
  ]);
  expect(refusals(member, { eraseMembers: true })).toEqual([]);
});

test("a disk in use is refused although the config allows to erase members", () => {
  expect(refusals({ inUse: ["sda1 belongs to the running RAID md0"] }, { eraseMembers: true })).toHaveLength(1);
});
