import { expect, test } from "vitest";
import type { Survey, SurveyedDisk } from "../survey.ts";
import { aDisk, aServer, aWish } from "../testing/a-server.ts";
import { isRescueSystem } from "./rescue-system.ts";

const SDA = aDisk();
const SDB = aDisk({ name: "sdb", serial: "B" });

const problems = (own: Partial<Survey>, disk: SurveyedDisk | undefined = SDB, named = false) =>
  isRescueSystem(aServer({ disks: [SDA, SDB], hostname: "web-1", ...own }), disk, named, aWish());

const accepts = (...of: Parameters<typeof problems>) => problems(...of).length === 0;

test.each(["overlay", "tmpfs", "rootfs", "squashfs", "nfs4", "9p"])("a root of type %s in memory is a rescue system", (type) => {
  expect(accepts({ rootFilesystem: type })).toBe(true);
});

test.each(["ext4", "zfs", "", "overlay2"])("a root of type '%s' on an unknown device is no rescue system", (type) => {
  expect(accepts({ rootFilesystem: type })).toBe(false);
});

test("a root on a device that is not one of the disks is a rescue system", () => {
  expect(accepts({ rootFilesystem: "ext4", rootDisk: "ram0" })).toBe(true);
});

test("a root on another disk than the chosen one is a rescue system only by its name or when the config names the disk", () => {
  const own = { rootFilesystem: "ext4", rootDisk: "sda" };
  expect(accepts(own)).toBe(false);
  expect(accepts(own, SDB, true)).toBe(true);
  expect(accepts({ ...own, hostname: "Rescue-EU" })).toBe(true);
  expect(accepts({ ...own, cmdline: "quiet vendor.rescue=1" })).toBe(true);
});

test("a root on one of the disks in a file system of memory is judged like any other root on a disk", () => {
  expect(accepts({ rootFilesystem: "overlay", rootDisk: "sda" })).toBe(false);
});

test("a root on the chosen disk is no rescue system, whatever it calls itself and whatever the config names", () => {
  const own = { rootFilesystem: "ext4", rootDisk: "sdb", hostname: "rescue", cmdline: "rescue" };
  expect(accepts(own, SDB, true)).toBe(false);
});

test("a chosen disk that is mounted as / is the root, although the root is found on another disk", () => {
  const root = aDisk({ name: "sdb", mountpoints: ["/boot", "/"] });
  expect(accepts({ rootFilesystem: "ext4", rootDisk: "sda", hostname: "rescue" }, root, true)).toBe(false);
  expect(accepts({ hostname: "rescue" }, root, true)).toBe(false);
});

test("a chosen disk that is mounted elsewhere is not the root", () => {
  expect(accepts({ hostname: "rescue" }, aDisk({ name: "sdb", mountpoints: ["/mnt"] }))).toBe(true);
});

test("without a chosen disk the system is judged by its root alone", () => {
  const judged = (own: Partial<Survey>) =>
    isRescueSystem(aServer({ disks: [SDA, SDB], hostname: "web-1", ...own }), undefined, false, aWish());
  expect(judged({})).toEqual([]);
  expect(judged({ rootFilesystem: "ext4" })).toHaveLength(1);
  expect(judged({ rootFilesystem: "ext4", rootDisk: "sda", hostname: "rescue" })).toEqual([]);
});

test.each<[Partial<Survey>, string]>([
  [{ rootDisk: "sda" }, "its root is ext4 on /dev/sda 40 GiB QEMU HARDDISK (serial VPS-0001)\nits hostname is web-1"],
  [{}, "its root is ext4 on something unknown\nits hostname is web-1"],
  [{ hostname: "" }, "its root is ext4 on something unknown\nits hostname is empty"],
])("a system that is no rescue system is refused with its root and hostname: %j", (own, facts) => {
  expect(problems({ rootFilesystem: "ext4", ...own })).toMatchObject([
    {
      code: "NOT_A_RESCUE_SYSTEM",
      message: "Unable to take over vps-1: 203.0.113.11 does not run a rescue system",
      detail: `${facts}\nNothing was written.`,
    },
  ]);
});
