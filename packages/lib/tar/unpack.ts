import { BLOCK, type Header, noTar, readHeader } from "./header.ts";
import { Names } from "./names.ts";
import { Reader } from "./reader.ts";

export interface UnpackedEntry {
  /** Relative, with slashes, without empty, "." and ".." parts. "" is the top folder. */
  name: string;
  kind: "file" | "folder";
  mode: number;
  size: number;
  modifiedMs: number;
  /** To be read before the next entry is requested; unread content is skipped. */
  content(): AsyncIterable<Uint8Array>;
}

export interface UnpackLimits {
  entries: number;
  /** Total size of all files in bytes. */
  size: number;
}

const MOST_ABOUT_ONE = 64 * 1024;
const REFUSED: Record<string, string> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "6": "a pipe",
  K: "a link with a long name",
  S: "a sparse file",
};

/** Yields the entries of an archive as they arrive. Throws at the first entry that must not be unpacked. */
export async function* unpackTar(bytes: AsyncIterable<Uint8Array>, limits: UnpackLimits): AsyncGenerator<UnpackedEntry> {
  const reader = new Reader(bytes);
  try {
    yield* entriesIn(reader, limits);
    await reader.rest();
  } finally {
    await reader.close();
  }
}

async function* entriesIn(reader: Reader, limits: UnpackLimits): AsyncGenerator<UnpackedEntry> {
  const names = new Names(limits.entries);
  let left = limits.size;
  let about = new Map<string, string>();
  for (;;) {
    const header = readHeader(await reader.exactly(BLOCK));
    if (header === undefined) return;
    if (header.type === "x" || header.type === "g" || header.type === "L") {
      about = new Map([...about, ...noteIn(header, await wholeOf(reader, header))]);
      continue;
    }
    const size = about.has("size") ? Number(about.get("size")) : header.size;
    const written = about.get("path") ?? header.name;
    about = new Map();
    const kind = kindOf(header, written);
    const name = names.take(written, kind);
    if (!Number.isSafeInteger(size) || size < 0 || (kind === "folder" && size > 0)) throw noTar("a size is invalid");
    left -= size;
    if (left < 0) throw noTar("it is too large");
    const body = reader.part(size);
    yield { name, kind, mode: header.mode & 0o777, size, modifiedMs: header.modified * 1000, content: () => body };
    for await (const _ of body);
    await reader.exactly((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

/** The values that a header entry sets for the next entry. One for all following entries may set only values that are ignored here. */
function noteIn({ type }: Header, text: Buffer): Map<string, string> {
  if (type === "L") return new Map([["path", text.toString("utf8").replace(/\0.*$/s, "")]]);
  const records = paxRecords(text);
  if (type === "x") return records;
  if (["path", "size", "linkpath"].some((key) => records.has(key))) throw noTar("it sets one name or size for all files");
  return new Map();
}

async function wholeOf(reader: Reader, { size }: Header): Promise<Buffer> {
  if (size > MOST_ABOUT_ONE) throw noTar("a name in it is too long");
  const body = await reader.exactly(size);
  await reader.exactly((BLOCK - (size % BLOCK)) % BLOCK);
  return body;
}

/** "20 path=some/name\n": the length counts its own digits and the end of the line. */
const RECORD = /^\d+ ([^=]+)=(.*)\n$/s;

function paxRecords(body: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const length = Number(body.subarray(at, body.indexOf(" ", at)).toString("latin1"));
    const record = RECORD.exec(body.subarray(at, at + length).toString("utf8"));
    if (!record || at + length > body.length) throw noTar("an extended header is invalid");
    const [, key = "", value = ""] = record;
    records.set(key, value);
    at += length;
  }
  if ([...records.keys()].some((key) => key.startsWith("GNU.sparse"))) throw noTar(`it contains ${REFUSED.S}`);
  return records;
}

function kindOf({ type }: Header, name: string): UnpackedEntry["kind"] {
  if (type === "5") return "folder";
  // Before POSIX, a folder was a file whose name ends with a slash.
  if (type === "0" || type === "7") return name.endsWith("/") ? "folder" : "file";
  throw noTar(`${JSON.stringify(name)} is ${REFUSED[type] ?? "an entry of an unknown type"}`);
}
