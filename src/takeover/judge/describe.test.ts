import { expect, test } from "vitest";
import { aDisk, aNamelessDisk, aServer } from "../testing/a-server.ts";
import { BLANK_DISK as plain } from "../testing/blank-disk.ts";
import { describeContent, describeDisk, listDisks, nameDisk, sizeOf } from "./describe.ts";

test("a disk in one line: what it is, and what would be lost", () => {
  expect(describeDisk(plain)).toBe("/dev/sda 40 GiB (no serial): blank");
  const debian = {
    ...plain,
    model: "QEMU HARDDISK",
    serial: "X",
    holdsData: true,
    table: "gpt",
    parts: [
      { name: "sda1", bytes: 1, filesystem: "ext4", label: "cloudimg-rootfs" },
      { name: "sda14", bytes: 1 },
      { name: "sda15", bytes: 1, filesystem: "vfat" },
    ],
  };
  expect(describeDisk(debian)).toBe(
    "/dev/sda 40 GiB QEMU HARDDISK (serial X): gpt with 3 partitions (ext4 cloudimg-rootfs, vfat)",
  );
});

test("the description distinguishes data without a table, an empty table and members", () => {
  const holds = { ...plain, wwid: "naa.5000", holdsData: true };
  const name = "/dev/sda 40 GiB (wwid naa.5000)";
  expect(describeDisk(holds)).toBe(`${name}: data of an unknown kind`);
  expect(describeDisk({ ...holds, parts: [{ name: "sda", bytes: 1, filesystem: "xfs" }] })).toBe(`${name}: xfs`);
  expect(describeDisk({ ...holds, table: "dos" })).toBe(`${name}: dos with no partitions`);
  const member = { ...holds, table: "dos", parts: [{ name: "sda1", bytes: 1 }], members: ["RAID md0 (sda1)"] };
  expect(describeDisk(member)).toBe(`${name}: dos with 1 partition (of RAID md0 (sda1))`);
});

test("the description counts partitions also when their table is unknown, and not the disk's own file system", () => {
  const holds = { ...plain, holdsData: true };
  const parts = (...names: string[]) => names.map((name) => ({ name, bytes: 1 }));
  expect(describeContent({ ...holds, parts: parts("sda1") })).toBe("a table with 1 partition");
  expect(describeContent({ ...holds, parts: parts("sda", "sda1", "sda2") })).toBe("a table with 2 partitions");
  expect(describeContent({ ...holds, members: ["LVM vg0"] })).toBe("of LVM vg0");
});

test("a disk is named by its model when it has one, and by its serial before its wwid", () => {
  expect(nameDisk(aDisk({ wwid: "naa.1" }))).toBe("/dev/sda 40 GiB QEMU HARDDISK (serial VPS-0001)");
  expect(nameDisk(aNamelessDisk({ wwid: "naa.1" }))).toBe("/dev/sda 40 GiB QEMU HARDDISK (wwid naa.1)");
  expect(nameDisk(plain)).toBe("/dev/sda 40 GiB (no serial)");
});

test("the list of disks marks the one that the system runs from", () => {
  const disks = [aDisk(), aDisk({ name: "sdb", serial: "B" })];
  expect(listDisks(aServer({ disks, rootDisk: "sdb" }))).toEqual([
    "its disks:",
    "  /dev/sda 40 GiB QEMU HARDDISK (serial VPS-0001): blank",
    "  /dev/sdb 40 GiB QEMU HARDDISK (serial B): blank; it runs from this one",
  ]);
  expect(listDisks(aServer({ disks: [] }))).toEqual(["it shows no disk at all"]);
});

test.each([
  [0, "0 bytes"],
  [1, "1 bytes"],
  [1023, "1023 bytes"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1024 ** 2, "1 MiB"],
  [1024 ** 4, "1 TiB"],
  [3 * 1024 ** 5, "3 PiB"],
  [2 * 1024 ** 6, "2048 PiB"],
])("%i bytes are shown as %s", (bytes, shown) => {
  expect(sizeOf(bytes)).toBe(shown);
});

test("sizes have at most one decimal", () => {
  expect([0, 512, 10 * 1024 ** 3, 512110190592, 4000787030016].map(sizeOf)).toEqual([
    "0 bytes",
    "512 bytes",
    "10 GiB",
    "476.9 GiB",
    "3.6 TiB",
  ]);
});
