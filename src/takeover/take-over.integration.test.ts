import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Mutation, Write } from "../engine/step.ts";
import { configVolume } from "./disk/config-volume.ts";
import type { DiskWrite } from "./disk/disk-write.ts";
import { readGpt } from "./disk/gpt.ts";
import { type TakeoverPlan, takeOver } from "./take-over.ts";
import { localShell } from "./testing/local-shell.ts";
import { smallImage } from "./testing/small-image.ts";
import { HEAD_BYTES, RESTART } from "./write/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "take-over-"));
const path = join(folder, "disk");
const programs = join(folder, "programs");
mkdirSync(programs);
for (const program of ["dd", "rm"])
  symlinkSync(execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim(), join(programs, program));
const BYTES = 6 * 1024 * 1024;
const before = Buffer.alloc(BYTES, "what was there ");
const image = smallImage(3);
const packed = gzipSync(image, { level: 1 });
const CONFIG = "machine:\n  token: abc.secret\n";

/** The log of all events, in order. */
let story: string[] = [];
let kept: readonly DiskWrite[] = [];

beforeEach(() => {
  story = [];
  kept = [];
  writeFileSync(path, before);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plan = (changes: Partial<TakeoverPlan> = {}): TakeoverPlan => ({
  node: "n-1",
  disk: { path, bytes: BYTES, serial: "S-1" },
  image: { url: () => "http://127.0.0.1:1/", open: async () => one(packed) },
  seed: { is: "config", text: CONFIG },
  keep: (tables) => {
    kept = tables;
    story.push("kept");
  },
  restarting: ({ sha256 }) => void story.push(`restarting with ${sha256}`),
  ...changes,
});

async function* one(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const writing = (): Write => ({
  // Fixed random bytes, so that two runs can be compared.
  world: { ...realWorld(), random: { bytes: (count) => new Uint8Array(count).fill(7) } },
  signal: AbortSignal.timeout(60_000),
  say: () => {},
  failed: () => undefined,
  get: () => expect.unreachable(),
  shared: (_, load) => load(),
  until: () => expect.unreachable(),
  mutate: async ({ key, what }: Mutation, call) => {
    story.push(`${key}: ${what}`);
    return call();
  },
});

/** A server with few programs, whose commands are quick. */
const bare = (before?: (command: string) => void) => localShell({ path: programs, ...(before && { before }) });

async function whole(): Promise<Buffer> {
  await takeOver(bare(), plan(), writing());
  return readFileSync(path);
}

test("the disk holds the image, a larger table and the config", async () => {
  const disk = await whole();
  expect(disk.subarray(HEAD_BYTES, image.length).equals(image.subarray(HEAD_BYTES))).toBe(true);
  const [first, second, last] = readGpt(disk).partitions;
  expect([first, second]).toEqual(readGpt(image).partitions);
  expect(last?.name).toBe("metal-iso");
  const volume = configVolume(CONFIG);
  expect(
    disk
      .subarray((last?.first ?? 0) * 512)
      .subarray(0, volume.length)
      .equals(volume),
  ).toBe(true);
});

test("each change is in the journal, what is lost was kept before, and the restart was noted", async () => {
  await whole();
  expect(story).toEqual([
    "kept",
    "disk S-1 of n-1: clear its partition tables",
    "disk S-1 of n-1: write the image",
    "disk S-1 of n-1: put its config on it",
    "disk S-1 of n-1: make it bootable",
    `restarting with ${createHash("sha256").update(image).digest("hex")}`,
    "disk S-1 of n-1: restart its server",
  ]);
  for (const { offset, bytes } of kept) expect(bytes.equals(before.subarray(offset, offset + bytes.length))).toBe(true);
  expect(kept.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, 34 * 512],
    [BYTES - 33 * 512, 33 * 512],
  ]);
});

test("nothing is written when what is there cannot be kept", async () => {
  const keep = () => {
    throw new Error("the folder is full");
  };
  await expect(takeOver(bare(), plan({ keep }), writing())).rejects.toThrow("the folder is full");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a server never starts from an image that was not accepted", async () => {
  const agree = () => {
    throw new Error("another image than the others have");
  };
  const shell = bare();
  await expect(takeOver(shell, plan({ agree }), writing())).rejects.toThrow("another image");
  expect(readFileSync(path).subarray(0, HEAD_BYTES).equals(Buffer.alloc(HEAD_BYTES))).toBe(true);
  expect(shell.ran).not.toContain(RESTART);
});

test("the config is in no command line", async () => {
  const shell = bare();
  await takeOver(shell, plan(), writing());
  expect(shell.ran.join()).not.toContain("abc.secret");
});

test("with network settings instead of a config, the table is the image's own and META contains the network", async () => {
  const network = {
    hostname: "n-1",
    mac: "02:00:00:00:00:01",
    addresses: [{ ip: "203.0.113.9", prefix: 32, gateway: "203.0.113.1" }],
    nameservers: [],
    timeServers: [],
  };
  await takeOver(bare(), plan({ seed: { is: "network", network } }), writing());
  const disk = readFileSync(path);
  expect(disk.subarray(0, HEAD_BYTES).equals(image.subarray(0, HEAD_BYTES))).toBe(true);
  const meta = readGpt(disk).partitions.find(({ name }) => name === "META");
  expect(disk.subarray((meta?.first ?? 0) * 512, ((meta?.last ?? 0) + 1) * 512).includes("203.0.113.9/32")).toBe(true);
});

describe("cut off before any of its commands", () => {
  test("it never starts from something half written, and done again it ends right", async () => {
    const right = await whole();
    const commands = bare();
    await takeOver(commands, plan(), writing());
    const seen = new Set<string>();
    for (let cut = 0; cut < commands.ran.length; cut++) {
      writeFileSync(path, before);
      let ran = 0;
      const cutting = bare(() => {
        if (ran++ === cut) throw new Error("cut off");
      });
      await expect(takeOver(cutting, plan(), writing())).rejects.toThrow("cut off");
      const half = readFileSync(path);
      const head = half.subarray(0, HEAD_BYTES);
      const startsFromIt = !head.equals(before.subarray(0, HEAD_BYTES)) && !head.equals(Buffer.alloc(HEAD_BYTES));
      if (startsFromIt) expect(half.equals(right)).toBe(true);
      const state = createHash("sha256").update(half).digest("hex");
      if (seen.has(state)) continue;
      seen.add(state);
      await takeOver(bare(), plan(), writing());
      expect(readFileSync(path).equals(right)).toBe(true);
    }
    // Untouched, two tables cleared, the image, the config, the head.
    expect(seen.size).toBe(6);
  });
});
