import { crc32, createGunzip } from "node:zlib";
import { complain, input, optionsOf } from "../../shell/programs/program.ts";
import { FileProblem, Killed, type OpenFile } from "../../shell/streams.ts";
import type { Program, Started } from "./program.ts";

/** Unpacks what comes in, as far as it goes. */
type Unpack = (source: Pull) => AsyncGenerator<Buffer>;

class Broken extends Error {}

/** Reads exactly as much as is asked for. */
interface Pull {
  need(count: number): Promise<Buffer>;
  /** Whatever is there; nothing at the end. */
  some(): Promise<Buffer>;
  /** Whether nothing more comes. */
  ended(): Promise<boolean>;
}

function pullFrom(file: OpenFile): Pull {
  let held: Buffer = Buffer.alloc(0);
  const fill = async (count: number) => {
    while (held.length < count) {
      const part = await file.read();
      if (part.length === 0) return false;
      held = held.length === 0 ? part : Buffer.concat([held, part]);
    }
    return true;
  };
  return {
    need: async (count) => {
      if (!(await fill(count))) throw new Broken("unexpected end of file");
      const found = held.subarray(0, count);
      held = held.subarray(count);
      return found;
    },
    some: async () => {
      await fill(1);
      const found = held;
      held = Buffer.alloc(0);
      return found;
    },
    ended: async () => !(await fill(1)),
  };
}

/** Zstandard frames of raw and repeated blocks (RFC 8878): what the lab's factory packs. */
async function* unpackZst(source: Pull): AsyncGenerator<Buffer> {
  while (!(await source.ended())) {
    if ((await source.need(4)).readUInt32LE(0) !== 0xfd2fb528) throw new Broken("unsupported format");
    const descriptor = (await source.need(1)).readUInt8(0);
    const single = (descriptor >> 5) & 1;
    const sizeBytes = [single, 2, 4, 8][descriptor >> 6] ?? 0;
    await source.need((single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0) + sizeBytes);
    for (let last = 0; last === 0; ) {
      const header = (await source.need(3)).readUIntLE(0, 3);
      const [kind, length] = [(header >> 1) & 3, header >> 3];
      last = header & 1;
      if (kind === 0) yield await source.need(length);
      else if (kind === 1) yield Buffer.alloc(length, (await source.need(1)).readUInt8(0));
      else throw new Broken("the lab reads only what its own factory packs");
    }
    if ((descriptor >> 2) & 1) await source.need(4);
  }
}

/** An .xz stream of one block of stored chunks. */
async function* unpackXz(source: Pull): AsyncGenerator<Buffer> {
  const head = await source.need(12);
  if (!head.subarray(0, 6).equals(Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]))) throw new Broken("File format not recognized");
  const size = ((await source.need(1)).readUInt8(0) + 1) * 4;
  await source.need(size - 1);
  let [sum, total] = [0, 0];
  for (;;) {
    const control = (await source.need(1)).readUInt8(0);
    total++;
    if (control === 0) break;
    if (control > 2) throw new Broken("the lab reads only what its own factory packs");
    const length = (await source.need(2)).readUInt16BE(0) + 1;
    const chunk = await source.need(length);
    total += 2 + length;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  await source.need((4 - ((size + total) % 4)) % 4);
  if ((await source.need(4)).readUInt32LE(0) !== sum) throw new Broken("Compressed data is corrupt");
  // The index and the footer, which ends with these letters.
  let tail = Buffer.alloc(0);
  for (let part = await source.some(); part.length > 0; part = await source.some()) tail = Buffer.concat([tail, part]);
  if (tail.toString("latin1").slice(-2) !== "YZ") throw new Broken("Unexpected end of input");
}

async function* unpackGz(source: Pull): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const feed = async () => {
    try {
      for (let part = await source.some(); part.length > 0 && !gunzip.destroyed; part = await source.some())
        if (!gunzip.write(part)) await new Promise<void>((go) => gunzip.once("drain", go).once("close", go));
      gunzip.end();
    } catch (error) {
      gunzip.destroy(error as Error);
    }
  };
  const fed = feed();
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) yield part;
  } catch (error) {
    if (error instanceof Killed) throw error;
    throw new Broken(
      error instanceof Error && /unexpected end/.test(error.message) ? "unexpected end of file" : "not in gzip format",
    );
  } finally {
    gunzip.destroy();
    await fed;
  }
}

function unpacking(name: string, unpack: Unpack, complaint: (why: string) => string): Program {
  return async (started: Started) => {
    const { given, rest } = optionsOf(
      started.args.filter((arg) => !/^-T?\d+$/.test(arg)),
      ["M", "T"],
    );
    const isUnpacking = given.has("d") || given.has("decompress") || /^(zcat|gunzip|xzcat|unxz|zstdcat|unzstd)$/.test(name);
    if (!isUnpacking) return complain(started, `${name}: the lab's rescue systems only unpack`);
    try {
      const file = await input(started, rest[0]);
      for await (const part of unpack(pullFrom(file))) await started.stdout.write(part);
      file.release();
      return 0;
    } catch (error) {
      if (error instanceof Broken) return complain(started, complaint(error.message));
      if (error instanceof FileProblem) return complain(started, `${name}: ${rest[0]}: ${error.message}`);
      throw error;
    }
  };
}

const gzip = (name: string) => unpacking(name, unpackGz, (why) => `\ngzip: stdin: ${why}`);
const xz = (name: string) => unpacking(name, unpackXz, (why) => `xz: (stdin): ${why}`);
const zstd = (name: string) => unpacking(name, unpackZst, (why) => `zstd: /*stdin*\\: ${why}`);

export const packing: Readonly<Record<string, Program>> = {
  ...{ gzip: gzip("gzip"), gunzip: gzip("gunzip"), zcat: gzip("zcat") },
  ...{ xz: xz("xz"), unxz: xz("unxz"), xzcat: xz("xzcat") },
  ...{ zstd: zstd("zstd"), unzstd: zstd("unzstd"), zstdcat: zstd("zstdcat") },
};
