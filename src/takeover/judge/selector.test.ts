import { expect, test } from "vitest";
import type { DiskSelector } from "../../config/config.ts";
import type { SurveyedDisk } from "../survey.ts";
import { aDisk } from "../testing/a-server.ts";
import { fits } from "./selector.ts";

const GB = 1000 ** 3;

const whole: Partial<SurveyedDisk> = {
  bytes: 100 * GB,
  serial: "A1",
  model: "WDC",
  wwid: "naa.5000",
  busPath: "/pci0/a",
  transport: "nvme",
};
const every: DiskSelector = {
  size: "100GB",
  serial: "A1",
  model: "WDC",
  wwid: "naa.5000",
  busPath: "/pci0/a",
  type: "nvme",
};

test("a selector without any property matches every disk", () => {
  expect(fits({}, aDisk())).toBe(true);
});

test("a disk with every property of the selector matches", () => {
  expect(fits(every, aDisk(whole))).toBe(true);
});

test.each<[keyof DiskSelector, Partial<SurveyedDisk>]>([
  ["size", { bytes: 100 * GB + 1 }],
  ["serial", { serial: "A2" }],
  ["model", { model: "WDD" }],
  ["wwid", { wwid: "naa.5001" }],
  ["busPath", { busPath: "/pci0/b" }],
  ["type", { transport: "sata" }],
])("a disk that differs in its %s alone does not match", (property, differing) => {
  expect(fits(every, aDisk({ ...whole, ...differing }))).toBe(false);
  const { [property]: _, ...others } = every;
  expect(fits(others, aDisk({ ...whole, ...differing }))).toBe(true);
});

test.each<[string, Partial<SurveyedDisk>]>([
  ["nvme", { transport: "nvme" }],
  ["sd", { transport: "mmc" }],
  ["hdd", { transport: "sata", rotational: true }],
  ["ssd", { transport: "sata", rotational: false }],
])("the type %s matches its disks and no others", (type, own) => {
  const matching = (["nvme", "sd", "hdd", "ssd"] as const).filter((one) => fits({ type: one }, aDisk(own)));
  const flash = type === "nvme" || type === "sd" ? ["ssd"] : [];
  expect(matching).toEqual([type, ...flash]);
});

test("a serial matches the disk's own or the one that lsblk reports", () => {
  const both = aDisk({ serial: "A", otherSerial: "B" });
  expect(["A", "B", "C"].map((serial) => fits({ serial }, both))).toEqual([true, true, false]);
});

test("a disk without the property matches no pattern, not even a lone asterisk", () => {
  expect(fits({ wwid: "*" }, aDisk())).toBe(false);
  expect(fits({ wwid: "" }, aDisk())).toBe(false);
});

test.each([
  ["WDC", true],
  ["wdc", false],
  ["WD", false],
  ["WDC1", false],
  ["DC", false],
  ["*", true],
  ["W*", true],
  ["*C", true],
  ["*D*", true],
  ["*W*", true],
  ["*C*", true],
  ["WD*C", true],
  ["W*C", true],
  ["W*D*C", true],
  ["W*D*", true],
  ["WDC*", true],
  ["*WDC", true],
  ["D*", false],
  ["*D", false],
  ["W*X", false],
  ["W*X*C", false],
  ["*X*", false],
  ["*X*D*C", false],
  ["*D*W*", false],
  ["WD*DC", false],
  ["W*D*DC", false],
  ["W*W*C", false],
])("the pattern %s on the model WDC: %s", (model, matches) => {
  expect(fits({ model }, aDisk({ model: "WDC" }))).toBe(matches);
});

test.each([
  ["100GB", 100 * GB],
  ["100gb", 100 * GB],
  ["100g", 100 * GB],
  ["== 100 GB", 100 * GB],
  ["  ==100GB  ", 100 * GB],
  ["100GiB", 100 * 1024 ** 3],
  ["100GIB", 100 * 1024 ** 3],
  ["1.5kB", 1500],
  ["512", 512],
  ["512B", 512],
  ["1kB", 1000],
  ["1KiB", 1024],
  ["2MB", 2_000_000],
  ["3TB", 3 * 1000 ** 4],
  ["2PiB", 2 * 1024 ** 5],
  ["0.001EB", 1000 ** 5],
])("the size %s is %i bytes, no more and no less", (size, bytes) => {
  expect([bytes - 1, bytes, bytes + 1].map((each) => fits({ size }, aDisk({ bytes: each })))).toEqual([false, true, false]);
});

test.each([
  [">= 1kB", [false, true, true]],
  ["> 1kB", [false, false, true]],
  ["<= 1kB", [true, true, false]],
  ["< 1kB", [true, false, false]],
  ["== 1kB", [false, true, false]],
])("the size %s compared with one byte less, the same and one byte more", (size, expected) => {
  expect([999, 1000, 1001].map((bytes) => fits({ size }, aDisk({ bytes })))).toEqual(expected);
});

test("a size that cannot be read matches no disk, not even an empty one", () => {
  for (const size of ["large", "", "!= 0", "10 XB", ">= GB"])
    for (const bytes of [0, 1, GB]) expect(fits({ size }, aDisk({ bytes })), `${size} and ${bytes}`).toBe(false);
});
