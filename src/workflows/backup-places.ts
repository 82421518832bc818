import { dirname, join, resolve } from "node:path";
import { temporaryName } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { openBucket } from "@talosmith/lib/s3/bucket.ts";
import { findCredentials } from "@talosmith/lib/s3/credentials.ts";
import { isS3, parseS3, printS3, type S3Wishes, s3Target } from "@talosmith/lib/s3/target.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { removeLeftovers } from "../environment/backup/leftovers.ts";
import { isOutside } from "../environment/backup/outside.ts";

interface Around {
  world: World;
  redactor: Redactor;
  signal: AbortSignal;
}

/** One backup, where it is kept. */
export interface Kept {
  /** The place as the user writes it. */
  shown: string;
  read(): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

/** A backup that is being made: written to `temporary`, and renamed or uploaded when it is complete. */
export interface ToKeep extends Kept {
  temporary: string;
  keep(sealed: { size: number; sha256: string; md5: string }): Promise<void>;
}

/** The place as it is recorded: it must be found from any folder. */
export function absolute(shown: string): string {
  return isS3(shown) ? shown : resolve(shown);
}

const SUFFIX = ".tar.gz.age";
/** Matches temporary files of a backup that was killed while it was written. */
const LEFTOVER = /^\.env-.+\.tar\.gz\.age\.[0-9a-f]{16}\.new$/;

/** Opens the place for a new backup. `to`: a file, a folder or s3://bucket/prefix; absent: the current folder. */
export function placeFor(around: Around, folder: string, name: string, to: string | undefined, s3: S3Wishes): ToKeep {
  const place = to ?? ".";
  return isS3(place) ? objectFor(around, folder, name, place, s3) : fileFor(around, folder, name, place);
}

function fileFor({ world }: Around, folder: string, name: string, to: string): ToKeep {
  const { files } = world;
  const isFolder = to.endsWith("/") || files.stat(to)?.kind === "folder";
  const shown = isFolder ? join(to, name) : to;
  const path = resolve(shown);
  if (!isOutside(folder, path))
    throw userError("BACKUP_INSIDE", {
      message: `${shown} is inside the folder that is backed up`,
      hint: "name a place outside it, if possible on another disk: --to FILE. Nothing was written.",
    });
  if (files.stat(dirname(path))?.kind !== "folder")
    throw userError("NO_FOLDER", {
      message: `There is no folder ${dirname(shown)}`,
      hint: "create it first. Nothing was written.",
    });
  const free = () => {
    if (files.stat(path) === undefined) return;
    throw userError("BACKUP_EXISTS", {
      message: `${shown} already exists, and a backup is never replaced`,
      hint: "name another file, or only the folder: --to FOLDER/. Nothing was changed.",
    });
  };
  free();
  removeLeftovers(files, dirname(path), LEFTOVER, world.clock.now() - 3_600_000);
  const temporary = temporaryName(files, path);
  let kept = false;
  return {
    shown,
    temporary,
    async keep() {
      free();
      files.rename(temporary, path);
      files.syncFolder(dirname(path));
      kept = true;
    },
    read: async () => files.stream(kept ? path : temporary),
    close() {},
  };
}

function objectFor(around: Around, folder: string, name: string, to: string, s3: S3Wishes): ToKeep {
  const { world, redactor, signal } = around;
  const address = parseS3(to);
  const prefix = address.key.replace(/\/+$/, "");
  const key = address.key.endsWith(SUFFIX) ? address.key : [prefix, name].filter(Boolean).join("/");
  const bucket = openBucket(world, s3Target(world, address, s3), findCredentials(world, redactor));
  const temporary = join(folder, ".talosmith", `backup-${Buffer.from(world.random.bytes(4)).toString("hex")}`);
  const shown = printS3({ ...address, key });
  let kept = false;
  return {
    shown,
    temporary,
    async keep({ size, sha256, md5 }) {
      const body = { size, open: () => world.files.stream(temporary) };
      await bucket.put(key, body, { sha256, md5 }, signal);
      kept = true;
    },
    read: () => (kept ? bucket.get(key, signal) : Promise.resolve(world.files.stream(temporary))),
    close: () => bucket.close(),
  };
}

export function keptAt({ world, redactor, signal }: Around, from: string, s3: S3Wishes): Kept {
  if (isS3(from)) {
    const address = parseS3(from);
    const bucket = openBucket(world, s3Target(world, address, s3), findCredentials(world, redactor));
    return { shown: from, read: () => bucket.get(address.key, signal), close: () => bucket.close() };
  }
  if (world.files.stat(from)?.kind !== "file")
    throw userError("FILE_MISSING", {
      message: `There is no file ${from}`,
      hint: `name a backup; to list those in a folder or bucket:  ${ownCommand("restore", "--list", dirname(from))}`,
    });
  return { shown: from, read: async () => world.files.stream(from), close() {} };
}

export interface Listed {
  shown: string;
  modifiedMs: number;
  size: number;
}

/** The backups in a folder or below a prefix of a bucket, newest first. */
export async function listPlace({ world, redactor, signal }: Around, place: string, s3: S3Wishes): Promise<Listed[]> {
  const newestFirst = (a: Listed, b: Listed) => b.modifiedMs - a.modifiedMs || b.shown.localeCompare(a.shown);
  if (!isS3(place)) {
    const names = world.files.list(place);
    if (names === undefined) throw userError("NO_FOLDER", { message: `There is no folder ${place}`, hint: "check the path" });
    return names
      .filter((name) => name.endsWith(".age"))
      .map((name) => ({ shown: join(place, name), modifiedMs: 0, size: 0, ...world.files.stat(join(place, name)) }))
      .sort(newestFirst);
  }
  const address = parseS3(place);
  const bucket = openBucket(world, s3Target(world, address, s3), findCredentials(world, redactor));
  try {
    const found = await bucket.list(address.key, signal);
    return found
      .filter(({ key }) => key.endsWith(".age"))
      .map(({ key, size, modifiedMs }) => ({ shown: printS3({ ...address, key }), size, modifiedMs }))
      .sort(newestFirst);
  } finally {
    bucket.close();
  }
}
