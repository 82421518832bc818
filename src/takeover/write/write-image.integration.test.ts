import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener } from "@talosmith/lib/world/world.ts";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type LocalShellOptions, localShell } from "../testing/local-shell.ts";
import { smallImage } from "../testing/small-image.ts";
import { HEAD_BYTES } from "./commands.ts";
import type { ImageSource } from "./image-source.ts";
import { writeImage } from "./write-image.ts";

const world = realWorld();
const folder = mkdtempSync(join(tmpdir(), "write-image-"));
const disk = join(folder, "disk");
/** Larger than a stride. */
const image = smallImage(5);
const packed = gzipSync(image, { level: 1 });
const DISK_BYTES = 8 * 1024 * 1024;
let said: string[] = [];
const listeners: Listener[] = [];

beforeEach(() => {
  said = [];
  writeFileSync(disk, Buffer.alloc(DISK_BYTES, 0x55));
});
afterAll(async () => {
  for (const listener of listeners) await listener.close();
  rmSync(folder, { recursive: true, force: true });
});

const c = { world, signal: AbortSignal.timeout(60_000), say: (text: string) => said.push(text) };

/** In parts of odd lengths. */
async function* parts(bytes: Buffer, fail?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
  if (fail) throw fail;
}

const source = (changes: Partial<ImageSource> = {}): ImageSource => ({
  url: () => "http://127.0.0.1:1/nobody",
  open: async () => parts(packed),
  ...changes,
});

/** A folder with only these programs. */
function having(name: string, programs: string): LocalShellOptions {
  const path = mkdtempSync(join(folder, `${name}-`));
  for (const program of new Set(["rm", ...programs.split(" ")])) {
    const found = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout.trim();
    if (found) symlinkSync(found, join(path, program));
  }
  return { path };
}

/** Serves these bytes under any name, and breaks off when they are fewer than promised. */
async function served(bytes: Buffer, promised = bytes.length): Promise<string> {
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, (_, response) => {
    response.writeHead(200, { "content-length": promised });
    if (promised === bytes.length) response.end(bytes);
    else response.write(bytes, () => response.destroy());
  });
  listeners.push(listener);
  return `http://127.0.0.1:${listener.port}`;
}

/** The whole image except for the head, which is written elsewhere; bytes after the image stay. */
function expectImage(): void {
  const bytes = readFileSync(disk);
  expect(bytes.length).toBe(DISK_BYTES);
  expect(bytes.subarray(0, HEAD_BYTES).equals(Buffer.alloc(HEAD_BYTES, 0x55))).toBe(true);
  expect(bytes.subarray(HEAD_BYTES, image.length).equals(image.subarray(HEAD_BYTES))).toBe(true);
  expect(bytes.subarray(image.length).every((byte) => byte === 0x55)).toBe(true);
}

const FULL = "curl gzip sha256sum mkfifo mktemp tee dd cat cut wc rm sync grep";
const lacks = (programs: string) =>
  spawnSync("sh", ["-c", `command -v ${programs.replaceAll(" ", " && command -v ")}`]).status !== 0;

test.skipIf(lacks(FULL))("a server with all it needs downloads the image itself", async () => {
  const url = await served(packed);
  const shell = localShell(having("full", FULL));
  const written = await writeImage(shell, disk, source({ url: (packing) => `${url}/x.${packing}`, open: never }), c);
  expect(written).toMatchObject({ way: "there", bytes: image.length });
  expect(written.head.equals(image.subarray(0, HEAD_BYTES))).toBe(true);
  expectImage();
  const [, left = "?"] = shell.ran.map((command) => /^cat '(.*)\/head'/.exec(command)).find((match) => match) ?? [];
  expect(existsSync(left)).toBe(false);
});

test.skipIf(lacks(FULL))("a download that breaks off there is no image, and the rest goes through our hands", async () => {
  const url = await served(packed.subarray(0, 500_000), packed.length);
  const written = await writeImage(localShell(having("cut", FULL)), disk, source({ url: () => url }), c);
  expect(written.way).toBe("packed");
  expect(said.join()).toContain("the server cannot get the image itself, so it is sent from here: ");
  expectImage();
});

test.skipIf(lacks(FULL))("a server that cannot reach the factory gets the image from here", async () => {
  const written = await writeImage(localShell(having("far", FULL)), disk, source(), c);
  expect(written.way).toBe("packed");
  expectImage();
});

test("without a download program the image is sent packed", async () => {
  const written = await writeImage(localShell(having("packed", "gzip sha256sum dd cat sync")), disk, source(), c);
  expect(written).toMatchObject({ way: "packed", bytes: image.length });
  expectImage();
});

test("with only dd the image is sent unpacked, and read back to this computer", async () => {
  const shell = localShell(having("plain", "dd"));
  const written = await writeImage(shell, disk, source(), c);
  expect(written).toMatchObject({ way: "plain", bytes: image.length });
  expect(shell.ran.some((command) => command.includes("sha256sum <") || command.includes("| sha256sum"))).toBe(false);
  expectImage();
});

test("every way gives the same sum", async () => {
  const ways = ["gzip sha256sum dd cat sync", "gzip openssl dd cat sync", "dd"];
  const sums = new Set<string>();
  for (const programs of ways) sums.add((await writeImage(localShell(having("sum", programs)), disk, source(), c)).sha256);
  expect(sums.size).toBe(1);
});

test.each([
  ["packed", "gzip sha256sum dd cat sync"],
  ["plain", "dd"],
])("a broken file is an error, sent %s", async (_, programs) => {
  const broken = source({ open: async () => parts(packed.subarray(0, packed.length - 9)) });
  await expect(writeImage(localShell(having("broken", programs)), disk, broken, c)).rejects.toMatchObject({
    code: "IMAGE_UNREADABLE",
    transient: true,
  });
});

test("a failed download on this computer is the reported error", async () => {
  const failing = source({ open: async () => parts(packed.subarray(0, 300_000), new Error("the factory went away")) });
  await expect(writeImage(localShell(having("gone", "gzip dd cat")), disk, failing, c)).rejects.toThrow("the factory went away");
});

test("an unwritable disk is an error with dd's message", async () => {
  const shell = localShell(having("nowhere", "gzip sha256sum dd cat sync"));
  await expect(writeImage(shell, join(folder, "none", "disk"), source(), c)).rejects.toMatchObject({
    code: "DISK_WRITE",
    detail: expect.stringMatching(/No such file|nonexistent|Directory/),
  });
});

test.each([["gzip sha256sum dd cat sync"], ["dd"]])(
  "a disk that gives back something else is found out with %s",
  async (programs) => {
    const before = (command: string) => {
      if (!command.startsWith("if [ -b")) return;
      const bytes = readFileSync(disk);
      bytes.writeUInt8(bytes.readUInt8(3_000_000) ^ 1, 3_000_000);
      writeFileSync(disk, bytes);
    };
    const shell = localShell({ ...having("rot", programs), before });
    await expect(writeImage(shell, disk, source(), c)).rejects.toMatchObject({ code: "WRITE_DIFFERS" });
  },
);

function never(): never {
  throw new Error("not needed");
}
