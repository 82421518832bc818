import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readGpt } from "../../../src/takeover/disk/gpt.ts";

export const DISK_BYTES = 16 * 1024 * 1024;

export interface RealDisk {
  path: string;
  kind: "loop device" | "file";
  read(): Buffer;
  /** As it was before anybody came. */
  refill(): void;
  remove(): void;
}

/** A loop device, when this machine lets us have one. */
export function realDisk(folder: string): RealDisk {
  const file = join(folder, "disk");
  writeFileSync(file, "");
  truncateSync(file, DISK_BYTES);
  const made = spawnSync("losetup", ["--find", "--show", file], { encoding: "utf8" });
  const path = made.status === 0 ? made.stdout.trim() : file;
  const kind = path === file ? "file" : "loop device";
  const whole = Buffer.alloc(DISK_BYTES, "somebody's data ");
  return {
    path,
    kind,
    read: () => {
      if (kind === "loop device") execFileSync("blockdev", ["--flushbufs", path]);
      const bytes = Buffer.alloc(DISK_BYTES);
      const at = openSync(path, "r");
      for (let got = 0; got < DISK_BYTES; got += readSync(at, bytes, got, DISK_BYTES - got, got));
      closeSync(at);
      return bytes;
    },
    refill: () => {
      const at = openSync(path, "r+");
      for (let put = 0; put < DISK_BYTES; put += writeSync(at, whole, put, DISK_BYTES - put, put));
      closeSync(at);
    },
    remove: () => {
      if (kind === "loop device") spawnSync("losetup", ["--detach", path]);
    },
  };
}

/** The image to its last byte but for its table, which has one partition more; what is in that one is found by a program nobody here wrote. */
export function expectTaken(disk: RealDisk, image: Buffer): void {
  const bytes = disk.read();
  const { partitions } = readGpt(bytes);
  assert.deepEqual(partitions.slice(0, -1), readGpt(image).partitions);
  assert.equal(bytes.subarray(34 * 512, image.length).equals(image.subarray(34 * 512)), true, "the disk holds the image");
  const config = partitions.at(-1);
  assert.equal(config?.name, "metal-iso");
  const offset = (config?.first ?? 0) * 512;
  const blkid = spawnSync("blkid", ["-p", "-o", "export", "-O", String(offset), disk.path], { encoding: "utf8" });
  if (blkid.error) return;
  assert.match(blkid.stdout, /^LABEL=metal-iso$/m);
  assert.match(blkid.stdout, /^TYPE=iso9660$/m);
}
