import { BLOCK, writeHeader } from "./header.ts";

/** One file, folder or symbolic link of an archive. */
export interface PackedEntry {
  /** Relative, with slashes. */
  name: string;
  mode: number;
  modifiedMs: number;
  /** Target of a symbolic link. */
  link?: string;
  /** Absent for folders and links. Opened when the entry is written; must have exactly `size` bytes. */
  content?: { size: number; open(): AsyncIterable<Uint8Array> };
}

/** Yields the bytes of a tar archive that every tar program can read. */
export async function* packTar(entries: Iterable<PackedEntry>): AsyncGenerator<Uint8Array> {
  for (const { name, mode, modifiedMs, content, link } of entries) {
    const type = link !== undefined ? "2" : content === undefined ? "5" : "0";
    const full = type === "5" ? `${name}/` : name;
    const size = content?.size ?? 0;
    const header = { mode: mode & 0o7777, modified: Math.max(0, Math.floor(modifiedMs / 1000)), size };
    const target = link ?? "";
    const fits = isShort(full) && isShort(target) && size < 8 ** 11;
    if (!fits)
      yield* paxHeader({
        path: full,
        ...(size >= 8 ** 11 && { size: String(size) }),
        ...(link !== undefined && { linkpath: link }),
      });
    const short = fits
      ? full
      : `${Buffer.from(full)
          .subarray(0, 60)
          .toString("latin1")
          .replaceAll(/[^\w./-]/g, "_")}`;
    yield writeHeader({ ...header, name: short, type, link: fits ? target : "" });
    let written = 0;
    for await (const part of content?.open() ?? []) {
      written += part.length;
      yield part;
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes, not ${size}`);
    yield padding(size);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** Whether a path fits in a header, in characters that every program reads. */
function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= 100 && /^[\x20-\x7e]*$/.test(path);
}

/** A pax header with the values that do not fit in the next entry's header. */
function* paxHeader(records: Record<string, string>): Generator<Uint8Array> {
  const body = Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)));
  yield writeHeader({ name: "pax", type: "x", mode: 0o600, size: body.length, modified: 0 });
  yield body;
  yield padding(body.length);
}

/** "20 path=some/name\n": the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  let total = length + String(length).length;
  total = length + String(total).length;
  return Buffer.from(`${total}${rest}`);
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
