import { complain } from "../../shell/programs/program.ts";
import { FileProblem, Killed, type OpenFile } from "../../shell/streams.ts";
import { nodeAt, readDevice, writeDevice } from "../system/files.ts";
import { absolute, type Program, type Started } from "./program.ts";

/** What a short read from a device is made of. */
const PIECE = 4 * 1024 ** 2;
const SMALL = 65_536;

interface Source {
  /** At most this many; none at the end. */
  take(most: number): Promise<Buffer>;
  back(bytes: Buffer): void;
  skip(bytes: number): Promise<void>;
  close(): void;
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ "": 1, c: 1, w: 2, b: 512, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 },
  ...{ kB: 1000, KB: 1000, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 },
};

function sizeIn(text: string): number | undefined {
  let size = 1;
  for (const factor of text.split("x")) {
    const [, number, unit = ""] = /^(\d+)([A-Za-z]*)$/.exec(factor) ?? [];
    const times = UNITS[unit];
    if (number === undefined || times === undefined) return undefined;
    size *= Number(number) * times;
  }
  return size;
}

const NUMBERS = new Set(["bs", "ibs", "obs", "cbs", "count", "skip", "seek", "iseek", "oseek"]);
const WORDS = new Set(["if", "of", "conv", "iflag", "oflag", "status"]);

/** coreutils 9: what it copies, how it counts and what it says. */
export const dd: Program = async (started) => {
  const words = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const operand of started.args) {
    const [name = "", value = ""] = operand.split(/=(.*)/s);
    const size = NUMBERS.has(name) ? sizeIn(value) : undefined;
    if (NUMBERS.has(name) && size === undefined) return complain(started, `dd: invalid number: ‘${value}’`);
    if (size !== undefined) numbers.set(name, size);
    else if (WORDS.has(name)) words.set(name, value);
    else return complain(started, `dd: unrecognized operand ‘${operand}’\nTry 'dd --help' for more information.`);
  }
  const flags = (name: string) => new Set((words.get(name) ?? "").split(",").filter((flag) => flag !== ""));
  const [iflag, oflag, conv] = [flags("iflag"), flags("oflag"), flags("conv")];
  const inSize = numbers.get("bs") ?? numbers.get("ibs") ?? 512;
  const outSize = numbers.get("bs") ?? numbers.get("obs") ?? 512;
  if (inSize === 0 || outSize === 0) return complain(started, "dd: invalid number: ‘0’");
  const [from, to] = [words.get("if"), words.get("of")];
  let opening = from ?? "";
  let source: Source;
  let sink: { write(bytes: Buffer): Promise<void>; close(): void };
  try {
    source = await sourceOf(started, from === undefined ? undefined : absolute(started, from));
    opening = to ?? "";
    const seek = numbers.get("seek") ?? numbers.get("oseek") ?? 0;
    sink = await sinkOf(
      started,
      to === undefined ? undefined : absolute(started, to),
      oflag.has("seek_bytes") ? seek : seek * outSize,
      conv.has("notrunc"),
    );
  } catch (error) {
    if (error instanceof FileProblem) return complain(started, `dd: failed to open '${opening}': ${error.message}`);
    throw error;
  }
  const copied = { whole: 0, part: 0, outWhole: 0, outPart: 0, bytes: 0 };
  let problem: string | undefined;
  try {
    const skip = numbers.get("skip") ?? numbers.get("iseek") ?? 0;
    await source.skip(iflag.has("skip_bytes") ? skip : skip * inSize);
    await copy(
      source,
      sink,
      {
        inSize,
        outSize,
        count: numbers.get("count"),
        bytesCounted: iflag.has("count_bytes"),
        full: iflag.has("fullblock"),
        pad: conv.has("sync"),
      },
      copied,
    );
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problem = `dd: error ${to === undefined ? "writing 'standard output'" : `writing '${to}'`}: ${error.message}`;
  } finally {
    source.close();
    sink.close();
  }
  if (problem !== undefined) await complain(started, problem);
  await tell(started, words.get("status"), copied);
  return problem === undefined ? 0 : 1;
};

interface Manner {
  inSize: number;
  outSize: number;
  count: number | undefined;
  bytesCounted: boolean;
  full: boolean;
  pad: boolean;
}

interface Copied {
  whole: number;
  part: number;
  outWhole: number;
  outPart: number;
  bytes: number;
}

async function copy(source: Source, sink: { write(bytes: Buffer): Promise<void> }, how: Manner, copied: Copied): Promise<void> {
  const { inSize, outSize } = how;
  let records = how.bytesCounted || how.count === undefined ? Number.POSITIVE_INFINITY : how.count;
  let left = how.bytesCounted && how.count !== undefined ? how.count : Number.POSITIVE_INFINITY;
  while (records > 0 && left > 0) {
    // Copies many small records at once, which only saves time.
    const batch = Math.max(1, Math.min(records, Math.floor(SMALL / inSize)));
    const wanted = Math.min(inSize * batch, left);
    let bytes = await source.take(wanted);
    while (bytes.length > 0 && bytes.length < wanted && (how.full || bytes.length % inSize !== 0)) {
      if (!how.full && batch === 1) break;
      const more = await source.take(how.full && batch === 1 ? wanted - bytes.length : inSize - (bytes.length % inSize));
      if (more.length === 0) break;
      bytes = Buffer.concat([bytes, more]);
    }
    if (bytes.length === 0) return;
    const whole = Math.floor(bytes.length / inSize);
    const rest = bytes.length % inSize === 0 ? 0 : 1;
    copied.whole += whole;
    copied.part += rest;
    records -= whole + rest;
    left -= bytes.length;
    if (how.pad && rest === 1) bytes = Buffer.concat([bytes, Buffer.alloc(inSize - (bytes.length % inSize))]);
    await sink.write(bytes);
    copied.bytes += bytes.length;
    copied.outWhole += Math.floor(bytes.length / outSize);
    copied.outPart += bytes.length % outSize === 0 ? 0 : 1;
  }
}

async function tell(started: Started, status: string | undefined, copied: Copied): Promise<void> {
  if (status === "none") return;
  const { whole, part, outWhole, outPart, bytes } = copied;
  const records = `${whole}+${part} records in\n${outWhole}+${outPart} records out`;
  const unit = (base: number, names: readonly string[]) => {
    let [size, at] = [bytes, 0];
    while (size >= base && at < names.length - 1) {
      size /= base;
      at++;
    }
    return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${names[at]}`;
  };
  const also =
    bytes < 1000
      ? ""
      : ` (${unit(1000, ["B", "kB", "MB", "GB", "TB"])}${bytes < 1024 ? "" : `, ${unit(1024, ["B", "KiB", "MiB", "GiB", "TiB"])}`})`;
  const speed = `${(bytes / 1e6 / 0.05).toFixed(1)} MB/s`;
  await complain(
    started,
    status === "noxfer" ? records : `${records}\n${bytes} byte${bytes === 1 ? "" : "s"}${also} copied, 0.05 s, ${speed}`,
  );
}

async function sourceOf(started: Started, path: string | undefined): Promise<Source> {
  const { host } = started;
  const node = path === undefined ? undefined : host.look((view) => nodeAt(view, path));
  if (path !== undefined && node?.is === "device") {
    let place = 0;
    return {
      take: async (most) => {
        const bytes = readDevice(host, path, place, Math.min(most, PIECE));
        place += bytes.length;
        return bytes;
      },
      back: (bytes) => {
        place -= bytes.length;
      },
      skip: async (bytes) => {
        place += bytes;
      },
      close: () => {},
    };
  }
  const file = path === undefined ? started.stdin.retain() : await started.open(path, "read");
  // A pipe gives what it has; a file and /dev/zero all that is asked for.
  const isPipe = path === undefined || node?.is === "fifo";
  const take = async (most: number) => {
    const parts: Buffer[] = [];
    let left = most;
    while (left > 0) {
      const bytes = await file.read();
      if (bytes.length > left) file.unread(Buffer.from(bytes.subarray(left)));
      parts.push(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      if (isPipe || bytes.length === 0) break;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  };
  return {
    take,
    back: (bytes) => file.unread(bytes),
    skip: async (bytes) => {
      for (let left = bytes; left > 0; ) {
        const part = await take(left);
        if (part.length === 0) return;
        left -= part.length;
      }
    },
    close: () => file.release(),
  };
}

async function sinkOf(
  started: Started,
  path: string | undefined,
  seek: number,
  keeps: boolean,
): Promise<{ write(bytes: Buffer): Promise<void>; close(): void }> {
  const { host } = started;
  const node = path === undefined ? undefined : host.look((view) => nodeAt(view, path));
  if (path !== undefined && node?.is === "device") {
    if (node.device.readonly) throw new FileProblem("Read-only file system");
    let place = seek;
    return {
      write: async (bytes) => {
        const written = writeDevice(host, path, place, bytes);
        place += written;
        if (written < bytes.length) throw new FileProblem("No space left on device");
        await turns(host.alive);
      },
      close: () => {},
    };
  }
  const before = node?.is === "file" ? node.content : Buffer.alloc(0);
  const file: OpenFile = path === undefined ? started.stdout.retain() : await started.open(path, "write");
  if (path !== undefined && node?.is !== "fifo" && node?.is !== "character") {
    const kept = before.subarray(0, Math.min(seek, before.length));
    const gap = Buffer.alloc(Math.max(0, seek - kept.length));
    if (kept.length + gap.length > 0) await file.write(Buffer.concat([kept, gap]));
    const rest = keeps ? before.subarray(seek) : Buffer.alloc(0);
    let written = 0;
    return {
      write: async (bytes) => {
        written += bytes.length;
        await file.write(bytes);
      },
      close: () => {
        // What lies behind stays; it is put back once it is known where that is.
        const left = rest.subarray(Math.min(written, rest.length));
        if (left.length > 0) file.write(left).catch(() => {});
        file.release();
      },
    };
  }
  return { write: (bytes) => file.write(bytes), close: () => file.release() };
}

/** Lets others have their turn between two blocks: a disk is slower than a computer's memory. */
async function turns(alive: AbortSignal): Promise<void> {
  if (alive.aborted) throw new Killed();
  await Promise.resolve();
}
