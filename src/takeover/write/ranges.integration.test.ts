import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeEach, expect, test } from "vitest";
import { localShell } from "../testing/local-shell.ts";
import { writeFrom } from "./commands.ts";
import { readRange, sectorBytesOf, writeRanges } from "./ranges.ts";

const folder = mkdtempSync(join(tmpdir(), "ranges-"));
const disk = join(folder, `disk's-${basename(folder)}`);
const before = Buffer.alloc(3 * 1024 * 1024, "0123456789abcdef!");

beforeEach(() => writeFileSync(disk, before));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [0, 512],
  [512, 34 * 512],
  [1024 * 1024, 1024 * 1024],
  [3 * 1024 * 1024 - 33 * 512, 33 * 512],
])("what is read from %i is %i bytes of the disk", async (offset, length) => {
  const bytes = await readRange(localShell(), disk, { offset, length });
  expect(bytes.equals(before.subarray(offset, offset + length))).toBe(true);
});

test("only the written ranges change, in the given order", async () => {
  const shell = localShell();
  const writes = [
    { offset: 1024 * 1024 + 512, bytes: Buffer.alloc(1024 * 1024, 1) },
    { offset: 2 * 1024 * 1024, bytes: Buffer.alloc(512, 2) },
    { offset: 0, bytes: Buffer.alloc(1536, 3) },
  ];
  await writeRanges(shell, disk, writes);
  const wanted = Buffer.from(before);
  for (const { offset, bytes } of writes) bytes.copy(wanted, offset);
  expect(readFileSync(disk).equals(wanted)).toBe(true);
  expect(shell.ran.map((command) => command.includes("dd of="))).toEqual([true, false, true, false, true, false]);
});

test("a disk that ends too early cannot be read", async () => {
  await expect(readRange(localShell(), disk, { offset: 3 * 1024 * 1024 - 512, length: 1024 })).rejects.toMatchObject({
    code: "DISK_READ",
    detail: expect.stringContaining("512 of 1024 bytes came"),
  });
});

test("bytes that come back changed are found out before the next ones are written", async () => {
  const shell = localShell({
    before: (command) => {
      if (command.includes("dd if=")) writeFileSync(disk, before);
    },
  });
  const writes = [0, 4096].map((offset) => ({ offset, bytes: Buffer.alloc(512) }));
  await expect(writeRanges(shell, disk, writes)).rejects.toMatchObject({ code: "WRITE_DIFFERS" });
  expect(shell.ran.filter((command) => command.includes("dd of=")).length).toBe(1);
});

test("a disk that is a file has the usual sectors", async () => {
  expect(await sectorBytesOf(localShell(), disk)).toBe(512);
});

test.skipIf(process.getuid?.() !== 0)("a writer that a run before this one left behind is ended first", async () => {
  const { clock } = realWorld();
  const stop = new AbortController();
  async function* halting(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(100_000, 9);
    await clock.sleep(60_000, stop.signal);
  }
  const left = localShell().feed(writeFrom(disk, 512, 0), halting(), {});
  left.catch(() => {});
  const note = `/run/talosmith-writes${disk.replaceAll("/", "-")}`;
  while (!existsSync(note) || readFileSync(note, "utf8") === "") await clock.sleep(10);
  const group = readFileSync(note, "utf8").trim();
  await writeRanges(localShell(), disk, [{ offset: 0, bytes: Buffer.alloc(4096, 4) }]);
  expect(existsSync(`/proc/${group}`)).toBe(false);
  expect(existsSync(note)).toBe(false);
  stop.abort();
  await left.catch(() => {});
});
