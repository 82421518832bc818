import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { localShell } from "../testing/local-shell.ts";
import type { BlockDevice } from "./block-devices.ts";
import { reading } from "./commands.ts";
import { holdsBytes, marksOf, peeksOf, stretchesOf } from "./readings.ts";

const folder = mkdtempSync(join(tmpdir(), "readings-"));
afterAll(() => rmSync(folder, { recursive: true }));

const MIB = 1024 * 1024;

/** A file as a disk: zeros, but for what is written to it. */
async function fileDisk(bytes: number, writes: readonly [offset: number, content: Buffer][] = []): Promise<BlockDevice> {
  const path = join(folder, "disk");
  writeFileSync(path, "");
  truncateSync(path, bytes);
  const file = await open(path, "r+");
  for (const [offset, content] of writes) await file.write(content, 0, content.length, offset);
  await file.close();
  return { name: "disk", path, bytes, file: () => undefined, holders: [] };
}

async function look(disk: BlockDevice): Promise<readonly string[]> {
  const { stdout } = await localShell().run(reading(stretchesOf(disk)));
  return stdout.split("\n");
}

async function marks(disk: BlockDevice) {
  const { stdout } = await localShell().run(reading(peeksOf(disk)));
  return marksOf(disk, stdout.split("\n"));
}

test("zeros are blank, whatever the size; a single byte at either end or in the middle is not", async () => {
  const one = Buffer.from([1]);
  for (const bytes of [3 * 512, 33 * MIB + 1536]) {
    const blank = await fileDisk(bytes);
    expect(holdsBytes(blank, await look(blank)), `${bytes} zeros`).toBe(false);
    for (const offset of [0, bytes - 1, Math.floor(Math.floor(bytes / MIB) / 2) * MIB]) {
      const used = await fileDisk(bytes, [[Math.min(offset, bytes - 1), one]]);
      expect(holdsBytes(used, await look(used)), `a byte at ${offset} of ${bytes}`).toBe(true);
    }
  }
});

test("a missing device does not count as blank", async () => {
  const gone = { ...(await fileDisk(MIB)), path: join(folder, "nothing") };
  expect(holdsBytes(gone, await look(gone))).toBe(true);
});

/** A superblock of Linux RAID as far as blkid looks at it. */
function superblock(version: 0 | 1, sector: number): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.writeUInt32LE(0xa92b4efc, 0);
  bytes.writeUInt32LE(version, 4);
  if (version === 0) bytes.writeUInt32LE(90, 8);
  else bytes.writeBigUInt64LE(BigInt(sector), 144);
  return bytes;
}

const SIZE = 20 * MIB + 4096 + 512;
const MEMBERS: Record<string, [number, 0 | 1]> = {
  "0.90": [Math.floor(SIZE / 65536) * 65536 - 65536, 0],
  "1.0": [(Math.floor(SIZE / 512) - 16 - ((Math.floor(SIZE / 512) - 16) % 8)) * 512, 1],
  "1.1": [0, 1],
  "1.2": [4096, 1],
};

test.each(Object.entries(MEMBERS))("a RAID member of version %s is one, to blkid as well", async (_, [offset, version]) => {
  const disk = await fileDisk(SIZE, [[offset, superblock(version, offset / 512)]]);
  expect(await marks(disk)).toEqual({ raid: true, lvm: false });
  if (!existsSync("/usr/sbin/blkid")) return;
  const said = execFileSync("/usr/sbin/blkid", ["-p", "-o", "value", "-s", "TYPE", disk.path]).toString();
  expect(said.trim()).toBe("linux_raid_member");
});

test("LVM's label and partition tables are recognised by their signatures", async () => {
  const lvm = await fileDisk(MIB, [[512, Buffer.from("LABELONE")]]);
  expect(await marks(lvm)).toEqual({ raid: false, lvm: true });
  const dos = await fileDisk(MIB, [[510, Buffer.from([0x55, 0xaa])]]);
  expect(await marks(dos)).toEqual({ raid: false, lvm: false, table: "dos" });
  for (const sector of [512, 4096]) {
    const gpt = await fileDisk(MIB, [[sector, Buffer.from("EFI PART")]]);
    expect(await marks(gpt)).toMatchObject({ table: "gpt" });
  }
});
