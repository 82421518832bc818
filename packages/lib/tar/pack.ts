import { BLOCK, writeHeader } from "./header.ts";

/** One file, folder or symbolic link of an archive. */
export interface PackedEntry {
  /** With slashes, relative. */
  name: string;
  mode: number;
  modifiedMs: number;
  /** Of a link: where it leads. */
  link?: string;
  /** Absent: a folder or a link. It is opened when its turn comes, and must have as many bytes as are said. */
  content?: { size: number; open(): AsyncIterable<Uint8Array> };
}

/** The bytes of a tar archive that every tar opens, made as they are taken. */
export async function* packTar(entries: Iterable<PackedEntry>): AsyncGenerator<Uint8Array> {
  for (const { name, mode, modifiedMs, content, link } of entries) {
    const type = link !== undefined ? "2" : content === undefined ? "5" : "0";
    const full = type === "5" ? `${name}/` : name;
    const size = content?.size ?? 0;
    const header = { mode: mode & 0o7777, modified: Math.max(0, Math.floor(modifiedMs / 1000)), size };
    const fits = isShort(full) && isShort(link ?? "") && size < 8 ** 11;
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
    yield writeHeader({ ...header, name: short, type, link: fits ? (link ?? "") : "" });
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

/** Whether a header has room for it, in letters that every program reads. */
function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= 100 && /^[\x20-\x7e]*$/.test(path);
}

/** What a header has no room for, in an entry of its own before the one it is about. */
function* paxHeader(records: Record<string, string>): Generator<Uint8Array> {
  const body = Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)));
  yield writeHeader({ name: "pax", type: "x", mode: 0o600, size: body.length, modified: 0 });
  yield body;
  yield padding(body.length);
}

/** "20 path=some/name\n": the number counts its own digits, too. */
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
