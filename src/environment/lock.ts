import { join } from "node:path";
import { makeFolderDurably, removeQuietly } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { fileError } from "@talosmith/lib/world/file-errors.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";
import {
  describe,
  type Holder,
  isSilent,
  lockedBy,
  lockUnreadable,
  lookAtHolder,
  readHolder,
  recordName,
} from "./lock-holder.ts";
import { sweep } from "./sweep.ts";

export interface Lock {
  /** Throws when it was taken over. */
  check(): void;
  release(): void;
}

const TRIES = 20;
const BEAT_MS = 5_000;

/**
 * One command at a time may change an environment. The lock of a process that is proven dead is taken over; any other one is respected (ADR 0042). It
 * is a folder, created completely under another name and renamed into place, which fails when a lock exists.
 */
export function lockEnvironment(world: World, folder: string, command: string): Lock {
  const { files } = world;
  makeFolderDurably(files, paths.state(folder), PRIVATE_FOLDER);
  const mine = prepare(world, folder, command);
  const record = join(paths.lock(folder), recordName(mine.nonce));
  try {
    acquire(world, folder, mine, record);
  } finally {
    removeQuietly(files, mine.path);
  }
  const life = new AbortController();
  const release = () => {
    life.abort();
    if (files.stat(record) === undefined) return;
    try {
      if (files.claim(paths.lock(folder), paths.formerLock(folder, mine.nonce))) return;
    } catch {
      // A full disk may refuse a new name.
    }
    // An empty lock is free too.
    files.remove(record);
  };
  try {
    files.syncFolder(paths.state(folder));
    sweep(world, folder, mine.now);
  } catch (error) {
    quietly(release);
    throw error;
  }
  void beat(world, record, life.signal);
  return {
    check() {
      // Read, not only checked for existence, so that a file server is queried again.
      if (files.read(record) === undefined) throw lost(files, folder);
    },
    // A lock that remains belongs to a dead process soon, and the next command takes it over.
    release: () => quietly(release),
  };
}

/** Removes the lock of a holder that is not known to run and gave no sign of life for a while. Returns its former holder. */
export function takeLockAway(world: World, folder: string): string | undefined {
  const { files } = world;
  const lock = paths.lock(folder);
  if (files.stat(lock) === undefined) return undefined;
  const mine = prepare(world, folder, "unlock");
  try {
    const holder = readHolder(files, lock);
    if (holder === undefined) return undefined;
    if (holder === "unreadable") throw lockUnreadable(folder);
    const seen = lookAtHolder(world, folder, holder, mine.now);
    if (seen.state === "alive" || (seen.state === "unknown" && !isSilent(seen))) throw lockedBy(folder, seen);
    return setAside(files, folder, holder) ? describe(holder) : undefined;
  } finally {
    removeQuietly(files, mine.path);
  }
}

interface Prepared {
  nonce: string;
  /** The path of the folder that will become the lock. */
  path: string;
  /** The file system's own time. */
  now: number;
}

function prepare(world: World, folder: string, command: string): Prepared {
  const { files, clock, processes } = world;
  const nonce = files.nonce();
  const path = `${paths.lock(folder)}.${nonce}`;
  const record = join(path, recordName(nonce));
  const me: Holder = { ...processes.self(), command, since: new Date(clock.now()).toISOString(), nonce };
  try {
    files.makeFolder(path, PRIVATE_FOLDER);
    files.create(record, Buffer.from(JSON.stringify(me)), PRIVATE_FILE);
    files.sync(record);
    files.syncFolder(path);
    // Not a number where the record has gone: then no other one is silent or old.
    return { nonce, path, now: Number(files.stat(record)?.modifiedMs) };
  } catch (error) {
    removeQuietly(files, path);
    throw fileError(error, "write", paths.lock(folder));
  }
}

function acquire(world: World, folder: string, mine: Prepared, record: string): void {
  const { files } = world;
  const lock = paths.lock(folder);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (isPutInPlace(files, mine.path, lock, record)) return;
    const holder = readHolder(files, lock);
    if (holder === undefined) continue;
    if (holder === "unreadable") throw lockUnreadable(folder);
    const seen = lookAtHolder(world, folder, holder, mine.now);
    if (seen.state !== "dead") throw lockedBy(folder, seen);
    setAside(files, folder, holder);
  }
  throw userError("LOCKED", { message: `Unable to lock ${folder}`, hint: "other commands keep locking it; try again" });
}

function isPutInPlace(files: Files, from: string, lock: string, record: string): boolean {
  try {
    return files.claim(from, lock);
  } catch (error) {
    // The response of a file server may have been lost, and a second try failed.
    if (files.stat(record) !== undefined) return true;
    throw error;
  }
}

/**
 * Moves a lock to a unique name that stays in use for a while. A process that decided about the same holder and comes later finds the name in use, and
 * so cannot move the next holder's lock. Returns whether this call moved it.
 */
function setAside(files: Files, folder: string, { nonce }: Holder): boolean {
  const aside = paths.formerLock(folder, nonce);
  try {
    if (!files.claim(paths.lock(folder), aside)) return false;
  } catch (error) {
    if (files.stat(paths.lock(folder)) === undefined) return false;
    throw error;
  }
  // Without its record, a holder that still runs notices the loss even when a file server's client caches the old name.
  files.create(join(aside, "taken-over"), new Uint8Array(), PRIVATE_FILE);
  removeQuietly(files, join(aside, recordName(nonce)));
  return true;
}

/** Gives signs of life until the lock is released. A failed one is ignored. */
async function beat({ clock, files }: World, record: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(BEAT_MS, signal).catch(() => {});
    if (!signal.aborted) quietly(() => files.touch(record));
  }
}

function lost(files: Files, folder: string): Error {
  const holder = readHolder(files, paths.lock(folder));
  return userError("LOCK_LOST", {
    message: `The lock on ${folder} was taken over while this command was working`,
    ...(typeof holder === "object" && { detail: `now working on it: ${describe(holder)}` }),
    hint: "this command makes no more changes. Run it again when the other one has ended",
  });
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The work has ended, and its result is what counts.
  }
}
