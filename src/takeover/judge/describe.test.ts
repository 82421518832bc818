import { expect, test } from "vitest";
import { BLANK_DISK as plain } from "../testing/blank-disk.ts";
import { describeDisk, sizeOf } from "./describe.ts";

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

test("sizes have at most one decimal", () => {
  expect([0, 512, 10 * 1024 ** 3, 512110190592, 4000787030016].map(sizeOf)).toEqual([
    "0 bytes",
    "512 bytes",
    "10 GiB",
    "476.9 GiB",
    "3.6 TiB",
  ]);
});
