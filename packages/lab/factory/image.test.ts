import { expect, test } from "vitest";
import { buildImage, readImage } from "./image.ts";

const talos = { version: "v1.13.9", platform: "nocloud", arch: "amd64", schematic: "37656798", secureBoot: false };

test.each(["qcow2", "raw"] as const)("a %s image contains its disk size and its Talos version", (format) => {
  expect(readImage(buildImage(format, talos))).toEqual({ format, virtualSize: 1246 * 1024 * 1024, talos });
});

test("an ISO is recognized by its volume descriptor", () => {
  expect(readImage(buildImage("iso", talos))).toMatchObject({ format: "iso", talos });
});

test("images are small", () => {
  for (const format of ["qcow2", "raw", "iso"] as const) expect(buildImage(format, talos).length).toBeLessThan(100_000);
});

// Offsets of the version 3 header in the qcow2 specification, all big-endian.
test("the qcow2 header has version 3, with tables inside the file", () => {
  const bytes = buildImage("qcow2", talos);
  const cluster = 2 ** bytes.readUInt32BE(20);
  expect(bytes.toString("latin1", 0, 4)).toBe("QFI\xfb");
  expect(bytes.readUInt32BE(4)).toBe(3);
  expect(bytes.readBigUInt64BE(24)).toBe(1_306_525_696n);
  const l1Entries = bytes.readUInt32BE(36);
  expect(l1Entries * cluster * (cluster / 8)).toBeGreaterThanOrEqual(1_306_525_696);
  expect(Number(bytes.readBigUInt64BE(40)) + 8 * l1Entries).toBeLessThanOrEqual(bytes.length);
  const refcountTable = Number(bytes.readBigUInt64BE(48));
  expect(bytes.readUInt16BE(Number(bytes.readBigUInt64BE(refcountTable)))).toBe(1);
  expect([bytes.readUInt32BE(96), bytes.readUInt32BE(100)]).toEqual([4, 104]);
});

test("a foreign qcow2 file has a size and no Talos", () => {
  const foreign = Buffer.alloc(512);
  foreign.write("QFI\xfb", "latin1");
  foreign.writeUInt32BE(3, 4);
  foreign.writeBigUInt64BE(5_368_709_120n, 24);
  expect(readImage(foreign)).toEqual({ format: "qcow2", virtualSize: 5_368_709_120 });
});

test("any other file is a raw disk of its own length", () => {
  expect(readImage(Buffer.from("hello"))).toEqual({ format: "raw", virtualSize: 5 });
});
