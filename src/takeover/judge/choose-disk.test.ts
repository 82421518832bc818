import { TalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { Survey } from "../survey.ts";
import { aDisk, aNamelessDisk, aServer, aWish, GIB } from "../testing/a-server.ts";
import { chooseDisk, isNamed, selectorOf } from "./choose-disk.ts";
import type { TakeoverWish } from "./wish.ts";

type InstallDisk = TakeoverWish["installDisk"];

const choose = (own: Partial<Survey>, installDisk?: InstallDisk) =>
  chooseDisk(aServer(own), aWish({ ...(installDisk !== undefined && { installDisk }) }));

/** The name of the chosen disk, or the error's code. */
function chosen(own: Partial<Survey>, installDisk?: InstallDisk): string {
  const result = choose(own, installDisk);
  return result instanceof TalosmithError ? result.code : result.name;
}

function refused(own: Partial<Survey>, installDisk?: InstallDisk): TalosmithError {
  const result = choose(own, installDisk);
  if (!(result instanceof TalosmithError)) throw new Error(`${result.name} was chosen`);
  return result;
}

const [SDA, SDB, SDC] = [aDisk(), aDisk({ name: "sdb", serial: "B" }), aDisk({ name: "sdc", serial: "C" })];

test("a path finds a disk by its device name or by one of its links, and no other disk", () => {
  const disks = [aDisk({ links: ["/dev/disk/by-id/x", "/dev/disk/by-path/y"] }), SDB];
  expect(["/dev/sda", "/dev/disk/by-path/y", "/dev/sdb", "/dev/sdc"].map((path) => chosen({ disks }, path))).toEqual([
    "sda",
    "sda",
    "sdb",
    "NO_SUCH_DISK",
  ]);
});

test("of the disks that match, the one that the rescue system runs from is left out", () => {
  expect(chosen({ disks: [SDA, SDB], rootDisk: "sda" }, { model: "QEMU*" })).toBe("sdb");
  expect(chosen({ disks: [SDA, SDB, SDC], rootDisk: "sda" }, { model: "QEMU*" })).toBe("AMBIGUOUS_DISK");
});

test("the disk that the rescue system runs from is chosen when no other one matches, so that it is refused by name", () => {
  expect(chosen({ disks: [SDA, SDB], rootDisk: "sda" }, "/dev/sda")).toBe("sda");
});

test("without installDisk the disk that the rescue system runs from is not chosen", () => {
  expect(chosen({ disks: [SDA, SDB], rootDisk: "sda" })).toBe("sdb");
  expect(chosen({ disks: [SDA, SDB], rootDisk: "sdb" })).toBe("sda");
});

test("without installDisk the only disk is chosen even if the rescue system runs from it, so that it is refused by name", () => {
  expect(chosen({ disks: [SDA], rootDisk: "sda" })).toBe("sda");
});

test.each([
  ["read-only", { readonly: true }],
  ["removable", { removable: true }],
  ["smaller than Talos needs", { bytes: 10 * GIB - 1 }],
])("without installDisk a %s disk is not chosen beside a suitable one", (_, own) => {
  expect(chosen({ disks: [aDisk(own), SDB] })).toBe("sdb");
  expect(chosen({ disks: [SDB, aDisk(own)] })).toBe("sdb");
});

test("without installDisk a single unsuitable disk is chosen, so that its problems are reported", () => {
  for (const own of [{ readonly: true }, { removable: true }, { bytes: 1 }]) expect(chosen({ disks: [aDisk(own)] })).toBe("sda");
});

test("a disk of exactly 10 GiB is as possible as a larger one", () => {
  expect(chosen({ disks: [aDisk({ bytes: 10 * GIB }), SDB] })).toBe("AMBIGUOUS_DISK");
});

test("several unsuitable disks are as ambiguous as several suitable ones", () => {
  const disks = [aDisk({ readonly: true }), aDisk({ name: "sdb", serial: "B", readonly: true })];
  expect(refused({ disks })).toMatchObject({ code: "AMBIGUOUS_DISK", message: expect.stringContaining("2 disks are possible") });
});

test("an ambiguous choice lists all disks and proposes the first that has a serial or wwid", () => {
  const nameless = aNamelessDisk({ name: "vda" });
  const hintFor = (...disks: Survey["disks"]) => refused({ disks }, { model: "QEMU*" }).hint;
  expect(hintFor(SDB, SDC)).toBe('choose one:  installDisk: { serial: "B" }');
  expect(hintFor(nameless, SDC)).toBe('choose one:  installDisk: { serial: "C" }');
  expect(hintFor(nameless, aNamelessDisk({ name: "vdb", wwid: "naa.1" }))).toBe('choose one:  installDisk: { wwid: "naa.1" }');
  expect(hintFor(nameless, aNamelessDisk({ name: "vdb" }))).toBe("choose one:  installDisk: /dev/vda");
});

test("an ambiguous choice says how many disks match which selector", () => {
  const { message, detail, where } = refused({ disks: [SDA, SDB, SDC], rootDisk: "sda" }, { model: "QEMU*", type: "ssd" });
  expect(message).toBe("Unable to choose the disk of vps-1: 2 disks match model QEMU*, type ssd");
  expect(detail?.split("\n")).toEqual([
    "its disks:",
    "  /dev/sda 40 GiB QEMU HARDDISK (serial VPS-0001): blank; it runs from this one",
    "  /dev/sdb 40 GiB QEMU HARDDISK (serial B): blank",
    "  /dev/sdc 40 GiB QEMU HARDDISK (serial C): blank",
    "Nothing was written.",
  ]);
  expect(where?.file).toBe("nodes.vps-1.installDisk");
});

test.each<[InstallDisk, string, string]>([
  [{ serial: "X" }, "DISK_SERIAL", "none is serial X"],
  [{ wwid: "naa.1" }, "DISK_SERIAL", "none is wwid naa.1"],
  [{ model: "X", type: "ssd" }, "NO_SUCH_DISK", "none is model X, type ssd"],
  ["/dev/vda", "NO_SUCH_DISK", "none is /dev/vda"],
])("a selector %j that no disk matches is refused with %s", (installDisk, code, why) => {
  expect(refused({}, installDisk)).toMatchObject({
    code,
    message: `Unable to find the disk of vps-1: ${why}`,
    where: { file: "nodes.vps-1.installDisk" },
  });
});

test("a missing serial may mean the wrong server, a missing device name only a wrong name", () => {
  expect(refused({}, { serial: "X" }).hint).toContain("check that this is the right server");
  expect(refused({}, "/dev/vda").hint).toContain("prefer the serial");
});

test("a server without any disk is refused", () => {
  expect(refused({ disks: [] })).toMatchObject({
    code: "NO_SUCH_DISK",
    message: "Unable to find the disk of vps-1: it has none",
  });
  expect(refused({ disks: [] }).detail).toBe("it shows no disk at all\nNothing was written.");
});

test.each<[InstallDisk, boolean]>([
  [undefined, false],
  ["/dev/sda", false],
  [{ serial: "A" }, true],
  [{ wwid: "A" }, true],
  [{ serial: "A*" }, false],
  [{ wwid: "*" }, false],
  [{ serial: "A*", wwid: "naa.1" }, true],
  [{ size: "> 1GB", model: "A" }, false],
])("the config names one specific disk: %j %s", (installDisk, named) => {
  expect(isNamed(installDisk)).toBe(named);
});

test("a disk is written in the config by its serial, else by its wwid, else by its path", () => {
  expect(selectorOf(aDisk({ wwid: "naa.1" }))).toBe('{ serial: "VPS-0001" }');
  expect(selectorOf(aNamelessDisk({ wwid: "naa.1" }))).toBe('{ wwid: "naa.1" }');
  expect(selectorOf(aNamelessDisk())).toBe("/dev/sda");
});
