import { createHash } from "node:crypto";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { type AgeKeys, type AgeLock, decryptAge, encryptAge } from "@talosmith/lib/age/crypt.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { type PackedEntry, packTar } from "@talosmith/lib/tar/pack.ts";
import { type UnpackedEntry, unpackTar } from "@talosmith/lib/tar/unpack.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE } from "../folder.ts";
import { type Contents, hashOf, type KeptFile, MANIFEST, MOST_BYTES, MOST_ENTRIES } from "./contents.ts";
import { type Manifest, printManifest } from "./manifest.ts";

type Bytes = AsyncIterable<Uint8Array>;

export interface ToArchive {
  folder: string;
  contents: Contents;
  /** Files from outside the folder: path in the archive → their location. */
  outside: readonly (KeptFile & { from: string })[];
  manifest: Manifest;
}

export interface Sealed {
  size: number;
  sha256: string;
  md5: string;
  /** Opens it, to be read back. */
  keys: AgeKeys;
}

/** Writes the encrypted archive durably to a new file. */
export async function writeArchive(
  world: World,
  to: ToArchive,
  lock: AgeLock,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<Sealed> {
  const { files } = world;
  const { parts, keys } = await encryptAge(gzipped(packTar(entriesOf(files, to, world.clock.now()))), lock);
  const hashes = { sha256: createHash("sha256"), md5: createHash("md5") };
  let size = 0;
  files.create(file, new Uint8Array(), PRIVATE_FILE);
  for await (const part of parts) {
    signal.throwIfAborted();
    files.append(file, part, PRIVATE_FILE);
    hashes.sha256.update(part);
    hashes.md5.update(part);
    size += part.length;
  }
  files.sync(file);
  return { size, sha256: hashes.sha256.digest("hex"), md5: hashes.md5.digest("base64"), keys };
}

/** All files are in a folder with the cluster's name, convenient to unpack by hand. The manifest is the first file. */
function* entriesOf(files: Files, { folder, contents, outside, manifest }: ToArchive, now: number): Generator<PackedEntry> {
  const top = manifest.cluster;
  const text = Buffer.from(printManifest(manifest));
  yield { name: top, mode: 0o700, modifiedMs: now };
  for (const { path, ...rest } of contents.folders) yield { name: `${top}/${path}`, ...rest };
  const content = { size: text.length, open: () => Readable.from([text]) };
  yield { name: `${top}/${MANIFEST}`, mode: PRIVATE_FILE, modifiedMs: now, content };
  const all = [...contents.files.map((file) => ({ ...file, from: join(folder, file.path) })), ...outside];
  for (const file of all) {
    const { path, mode, modifiedMs, size } = file;
    yield { name: `${top}/${path}`, mode, modifiedMs, content: { size, open: () => asItWas(files, file) } };
  }
}

/** Requires that the archive matches the manifest, even if a file is edited meanwhile. */
async function* asItWas(files: Files, { path, from, sha256, size }: KeptFile & { from: string }): Bytes {
  const hash = createHash("sha256");
  let left = size;
  for await (const part of files.stream(from)) {
    hash.update(part);
    left -= part.length;
    if (left < 0) break;
    yield part;
  }
  if (hash.digest("hex") === sha256) return;
  throw changed(path);
}

export function changed(path: string): Error {
  return userError("BACKUP_CHANGED", {
    message: `${path} was changed while it was read`,
    hint: "run the same command again. Nothing was written.",
  });
}

/** More than a backup has: in an archive there are also its list of files, its top folder and files from outside. */
const LIMITS = { entries: MOST_ENTRIES + 1000, size: MOST_BYTES + 1024 ** 2 };

/** Reads an archive with these keys: one by talosmith, or any tar of a folder encrypted with age. */
export async function* readArchive(sealed: Bytes, keys: AgeKeys): AsyncGenerator<UnpackedEntry> {
  const opened = await decryptAge(sealed, keys);
  yield* unpackTar(await unzipped(opened), LIMITS);
}

/** Reads an archive to its end; throws unless it contains exactly the files of the manifest. */
export async function checkArchive(sealed: Bytes, keys: AgeKeys, manifest: Manifest): Promise<void> {
  const left = new Map(Object.entries(manifest.files));
  for await (const { name, kind, content } of readArchive(sealed, keys)) {
    const path = name.slice(manifest.cluster.length + 1);
    if (kind === "folder" || path === MANIFEST) continue;
    const { sha256 } = await hashOf(content());
    if (left.get(path)?.sha256 !== sha256) throw damaged(`the checksum of ${path} does not match`);
    left.delete(path);
  }
  for (const path of left.keys()) throw damaged(`${path} is missing`);
}

export function damaged(why: string): Error {
  return userError("BACKUP_DAMAGED", {
    message: `The backup is incomplete or damaged: ${why}`,
    hint: "use another copy of it, or create it again",
  });
}

function gzipped(bytes: Bytes): Bytes {
  return pipeline(Readable.from(bytes), createGzip(), () => {});
}

/** Decompresses the stream, or passes it on when it is not compressed. */
async function unzipped(bytes: Bytes): Promise<Bytes> {
  const { first, all } = await peek(bytes);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return all;
  return orDamaged(pipeline(Readable.from(all), createGunzip(), () => {}));
}

async function* orDamaged(parts: Bytes): Bytes {
  try {
    yield* parts;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw /^Z_|^ERR_/.test(String(code)) ? damaged("it cannot be decompressed") : error;
  }
}

/** Reads the first part of a stream without consuming it. */
export async function peek(bytes: Bytes): Promise<{ first: Uint8Array; all: Bytes }> {
  const source = bytes[Symbol.asyncIterator]();
  const begun = await source.next();
  const all = async function* () {
    try {
      for (let part = begun; !part.done; part = await source.next()) yield part.value;
    } finally {
      await source.return?.();
    }
  };
  return { first: begun.done ? new Uint8Array() : begun.value, all: all() };
}
