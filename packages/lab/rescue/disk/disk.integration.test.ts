import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compress } from "../../factory/compress.ts";
import { gptBytes, PARTITION_TYPES, readGpt } from "../../factory/gpt.ts";
import { bootable, buildImage } from "../../factory/image.ts";
import type { ServerDisk } from "../state.ts";
import { eraseDisk, readDisk, writeDisk } from "./blocks.ts";
import { fill } from "./contents.ts";
import { signatureOf } from "./signatures.ts";
import { partitionsOf, tableOf } from "./table.ts";

const ID = "4a6f3c1e-7d20-4b8e-9f3a-2c5d8e1b0a47";

function newDisk(bytes: number): ServerDisk {
  return { device: "sda", bytes, model: "", serial: "", rotational: false, readonly: false, removable: false, blocks: {} };
}

test("a disk keeps what is written, wherever and in whatever pieces", () => {
  const write = fc.record({ offset: fc.nat(36_864), bytes: fc.uint8Array({ maxLength: 9_000 }), erase: fc.boolean() });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
      const disk = newDisk(36_864);
      const plain = Buffer.alloc(36_864);
      for (const { offset, bytes, erase } of writes) {
        const end = Math.min(36_864, offset + bytes.length);
        if (erase) eraseDisk(disk, offset, bytes.length);
        else expect(writeDisk(disk, offset, Buffer.from(bytes))).toBe(end - offset);
        if (erase) plain.fill(0, offset, end);
        else Buffer.from(bytes).copy(plain, offset, 0, end - offset);
      }
      expect(readDisk(disk, 0, 50_000).equals(plain)).toBe(true);
      expect(readDisk(disk, 5_000, 777).equals(plain.subarray(5_000, 5_777))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("zeros take no room", () => {
  const disk = newDisk(1024 ** 3);
  writeDisk(disk, 100, Buffer.from("text"));
  writeDisk(disk, 0, Buffer.alloc(65_536));
  expect(disk.blocks).toEqual({});
});

describe("partition tables", () => {
  const entry = { index: 2, type: PARTITION_TYPES.linux, uuid: ID, first: 2048, last: 4095, name: "Größe" };
  const { start, end } = gptBytes({ disk: ID, sectors: 10_000, entries: [entry] });

  test("are read back as they were written, from either end of the disk", () => {
    const disk = newDisk(10_000 * 512);
    writeDisk(disk, 0, start);
    writeDisk(disk, disk.bytes - end.length, end);
    expect(tableOf(disk)).toMatchObject({ disk: ID, sectors: 10_000, entries: [{ ...entry, attributes: 0n }] });
    eraseDisk(disk, 512, 512);
    expect(partitionsOf(disk)).toMatchObject([{ device: "sda3", offset: 1024 ** 2, bytes: 1024 ** 2 }]);
  });

  test("are none with one wrong byte", () => {
    fc.assert(
      fc.property(fc.integer({ min: 512, max: 512 + 91 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const harmed = Buffer.from(start);
        harmed[at] = (harmed[at] ?? 0) ^ change;
        expect(readGpt((offset, length) => harmed.subarray(offset, offset + length), 1)).toBeUndefined();
      }),
    );
  });
});

const talos = { version: "v1.13.9", platform: "metal", arch: "amd64", schematic: "37656798", secureBoot: false };

test("an image starts when all of it is there", () => {
  const image = buildImage("raw", talos);
  expect(bootable((at, length) => image.subarray(at, at + length))).toEqual(talos);
  expect(bootable((at, length) => image.subarray(0, image.length / 2).subarray(at, at + length))).toBeUndefined();
});

/** Programs that we did not write. */
describe.skipIf(["partx", "blkid", "zstd", "xz"].some((name) => spawnSync(name, ["--version"]).error))(
  "this computer's programs",
  () => {
    const withFile = (bytes: Uint8Array, work: (path: string) => void) => {
      const folder = mkdtempSync(join(tmpdir(), "lab-disk-"));
      try {
        writeFileSync(join(folder, "file"), bytes);
        work(join(folder, "file"));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    const says = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: "utf8" }).stdout;

    test("find Talos's partitions on an image", () => {
      withFile(buildImage("raw", talos), (path) => {
        expect(says("partx", "-g", "-r", "-o", "NR,START,SECTORS,NAME,TYPE", path).trim().split("\n")).toEqual([
          `1 2048 512 EFI ${PARTITION_TYPES.efi}`,
          `2 2560 512 BIOS ${PARTITION_TYPES.bios}`,
          `3 3072 512 BOOT ${PARTITION_TYPES.linux}`,
          `4 3584 2048 META ${PARTITION_TYPES.linux}`,
        ]);
        expect(says("blkid", "-p", "-s", "PTTYPE", "-o", "value", path)).toBe("gpt\n");
      });
    });

    test.each(["zst", "xz"] as const)("unpack an image from %s", (how) => {
      const image = buildImage("raw", talos);
      const { stdout } = spawnSync(how === "zst" ? "zstd" : "xz", ["-dc"], { input: compress(image, how), maxBuffer: 1024 ** 3 });
      expect(stdout.equals(image)).toBe(true);
    });

    test.each(["debian", "raid", "lvm", "swap"] as const)("see on a disk with %s what the lab sees", (content) => {
      const disk = newDisk(2 * 1024 ** 3);
      fill(disk, content, () => ID);
      for (const { offset, bytes } of partitionsOf(disk)) {
        const part = readDisk(disk, offset, Math.min(bytes, 8 * 1024 ** 2));
        const ours = signatureOf((at, length) => part.subarray(at, at + length))?.type ?? "";
        withFile(part, (path) => expect(says("blkid", "-p", "-s", "TYPE", "-o", "value", path).trim()).toBe(ours));
      }
    });
  },
);
