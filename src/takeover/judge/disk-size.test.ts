import { expect, test } from "vitest";
import { aDisk, aWish, GIB } from "../testing/a-server.ts";
import { diskTakesImage } from "./disk-size.ts";

const refusals = (own: Parameters<typeof aDisk>[0], wish: Parameters<typeof aWish>[0] = {}) =>
  diskTakesImage(aDisk(own), aWish(wish));
const codes = (...of: Parameters<typeof refusals>) => refusals(...of).map(({ code }) => code);

test("a writable disk of 10 GiB is large enough, and one byte less is not", () => {
  expect(codes({ bytes: 10 * GIB })).toEqual([]);
  expect(codes({ bytes: 10 * GIB - 1 })).toEqual(["DISK_TOO_SMALL"]);
});

test("a disk of exactly the size of the image is large enough, and one byte less is not", () => {
  expect(codes({ bytes: 20 * GIB }, { imageBytes: 20 * GIB })).toEqual([]);
  expect(codes({ bytes: 20 * GIB - 1 }, { imageBytes: 20 * GIB })).toEqual(["DISK_TOO_SMALL"]);
});

test("an image smaller than 10 GiB needs 10 GiB like any other", () => {
  expect(codes({ bytes: 9 * GIB }, { imageBytes: GIB })).toEqual(["DISK_TOO_SMALL"]);
});

test("a disk that is too small is refused with what needs the space", () => {
  const facts = (wish: Parameters<typeof aWish>[0]) => refusals({ bytes: 4 * GIB }, wish)[0]?.detail?.split("\n");
  const disk = "/dev/sda 4 GiB QEMU HARDDISK (serial VPS-0001)";
  expect(facts({})).toEqual([disk, "Talos asks for 10 GiB and puts all container images there", "Nothing was written."]);
  expect(facts({ imageBytes: 12 * GIB })).toEqual([disk, "the image is 12 GiB large", "Nothing was written."]);
});

test("a read-only disk is refused", () => {
  expect(codes({ readonly: true })).toEqual(["DISK_READONLY"]);
});

test("a disk whose sectors are not of 512 bytes is refused; one that does not report them has 512", () => {
  expect([{}, { sectorBytes: 512 }, { sectorBytes: 513 }, { sectorBytes: 4096 }].map((own) => codes(own))).toEqual([
    [],
    [],
    ["DISK_SECTORS"],
    ["DISK_SECTORS"],
  ]);
});

test("all problems of a disk are reported at once, at the setting that chooses the disk", () => {
  const problems = refusals({ readonly: true, bytes: 1, sectorBytes: 4096 });
  expect(problems.map(({ code, where }) => [code, where?.file])).toEqual(
    ["DISK_READONLY", "DISK_TOO_SMALL", "DISK_SECTORS"].map((code) => [code, "nodes.vps-1.installDisk"]),
  );
});
