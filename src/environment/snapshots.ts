import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeFolderDurably, removeQuietly, TEMPORARY_NAME, temporaryName } from "@talosmith/lib/durable.ts";
import { remoteError } from "@talosmith/lib/errors.ts";
import { fileError } from "@talosmith/lib/world/file-errors.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";
import { byStamp, newStamp, timeOfStamp } from "./stamps.ts";

const KEPT = 5;
/** The size of a write: nodes send pieces of a kilobyte. */
const PART_BYTES = 1024 ** 2;
/** The SHA-256 that etcd sends after its database. */
const CHECKSUM_BYTES = 32;
/** The smallest page a database can have (etcdutl's own check). */
const PAGE_BYTES = 512;
const ENDING = /\.db(\.age)?$/;

type Bytes = AsyncIterable<Uint8Array>;

export interface KeepingSnapshot {
  /** age recipients; without them it is written unencrypted. */
  recipients: readonly string[];
  /** Reports the bytes received so far. */
  progress(bytes: number): void;
}

/**
 * Writes a snapshot of etcd to .talosmith/snapshots and returns its path. Verifies its checksum while writing; a file under its final name is
 * complete. Keeps the last five. Only for the holder of the lock: removes temporary files of others.
 */
export async function keepSnapshot(world: World, folder: string, snapshot: Bytes, spec: KeepingSnapshot): Promise<string> {
  const { files, clock } = world;
  const { recipients } = spec;
  const snapshots = paths.snapshots(folder);
  makeFolderDurably(files, snapshots, PRIVATE_FOLDER);
  removeLeftovers(files, snapshots);
  const stamp = newStamp(clock, keptSnapshots(files, folder).map(stampOf));
  const path = join(snapshots, `${stamp}.db${recipients.length > 0 ? ".age" : ""}`);
  const temporary = temporaryName(files, path);
  try {
    const plain = verified(snapshot, spec.progress);
    const parts = recipients.length > 0 ? await encrypted(plain, recipients) : plain;
    for await (const part of inParts(parts)) files.append(temporary, part, PRIVATE_FILE);
    files.sync(temporary);
    files.rename(temporary, path);
    files.syncFolder(snapshots);
  } catch (error) {
    removeQuietly(files, temporary);
    throw fileError(error, "write", path, "No snapshot was taken; earlier ones are still there.");
  }
  const all = keptSnapshots(files, folder);
  for (const name of all.slice(0, Math.max(0, all.length - KEPT))) removeQuietly(files, join(snapshots, name));
  return path;
}

async function encrypted(plain: Bytes, recipients: readonly string[]): Promise<Bytes> {
  const { encryptAge } = await import("@talosmith/lib/age/crypt.ts");
  return (await encryptAge(plain, { recipients })).parts;
}

/** Its path as the user types it. */
export function shownSnapshot({ shown }: { shown: string }, name: string): string {
  return `${shown}/.talosmith/snapshots/${name}`;
}

/** The names of existing snapshots, oldest first. */
export function keptSnapshots(files: Files, folder: string): string[] {
  const names = namesIn(files, paths.snapshots(folder)).filter((name) => timeOfSnapshot(name) !== undefined);
  return names.sort((a, b) => byStamp(stampOf(a), stampOf(b)));
}

/** The time of a snapshot by its name; undefined for other files. */
export function timeOfSnapshot(name: string): number | undefined {
  return ENDING.test(name) ? timeOfStamp(stampOf(name)) : undefined;
}

function stampOf(name: string): string {
  return name.replace(ENDING, "");
}

const namesIn = (files: Files, folder: string) => files.list(folder) ?? [];

function removeLeftovers(files: Files, snapshots: string): void {
  for (const name of namesIn(files, snapshots)) if (TEMPORARY_NAME.test(name)) removeQuietly(files, join(snapshots, name));
}

/** Passes all bytes on; fails at the end unless the last 32 bytes are the SHA-256 of those before. */
async function* verified(snapshot: Bytes, progress: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let last = Buffer.alloc(0);
  let size = 0;
  for await (const part of snapshot) {
    const both = Buffer.concat([last, part]);
    const known = Math.max(0, both.length - CHECKSUM_BYTES);
    hash.update(both.subarray(0, known));
    last = both.subarray(known);
    size += part.length;
    progress(size);
    yield part;
  }
  if (size % PAGE_BYTES !== CHECKSUM_BYTES) throw damaged(`it ended after ${size} bytes, without its checksum`);
  if (!hash.digest().equals(last)) throw damaged("its checksum is wrong");
}

/** Joins small pieces; the last part is what is left, and may be empty. */
async function* inParts(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    waiting.push(piece);
    size += piece.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  yield Buffer.concat(waiting);
}

/** When etcd stops in the middle, Talos ends the stream without an error, so a retry makes sense. */
function damaged(why: string): Error {
  return remoteError("SNAPSHOT_DAMAGED", {
    message: `The snapshot of etcd is incomplete or damaged: ${why}`,
    hint: "run the same command again; if it happens again, look at etcd:  talosctl -n ADDRESS logs etcd",
    transient: true,
  });
}
