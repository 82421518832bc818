import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolderDurably, removeQuietly } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { S3Wishes } from "@talosmith/lib/s3/target.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { nextTurn } from "@talosmith/lib/world/next-turn.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import { peek, readArchive } from "../environment/backup/archive.ts";
import { compareWith, type Difference } from "../environment/backup/compare.ts";
import { removeLeftovers } from "../environment/backup/leftovers.ts";
import { referredFiles } from "../environment/backup/outside.ts";
import { addBackupRecord, preciousOf } from "../environment/backup/records.ts";
import { replaceFolder } from "../environment/backup/replace.ts";
import { type Unpacked, unpackInto } from "../environment/backup/unpack.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { chooseKeys, type KeyWishes, type TypedPassphrase } from "./backup-keys.ts";
import { absolute, type Kept, keptAt } from "./backup-places.ts";

export interface RestoreWishes extends KeyWishes {
  s3: S3Wishes;
  /** Replace a folder that is newer than the backup or has other secrets. */
  replace: boolean;
  /** Asks for confirmation after the changes are shown. */
  confirm(): Promise<boolean>;
}

type RestoreSession = Session & { redactor: Redactor };

/** `talosmith restore`: unpacks and checks a backup beside the folder, then replaces the folder. The old one is kept under another name. */
export async function restore(
  session: RestoreSession,
  from: string,
  shown: string,
  wishes: RestoreWishes,
  typed: TypedPassphrase,
): Promise<number> {
  const { world } = session;
  const folder = resolve(shown);
  const kept = keptAt(session, from, wishes.s3);
  const nonce = Buffer.from(world.random.bytes(4)).toString("hex");
  const fresh = join(dirname(folder), `.${basename(folder)}.restoring-${nonce}`);
  try {
    const archive = await openArchive(session, kept, wishes, typed);
    makeFolderDurably(world.files, dirname(folder), 0o755);
    removeLeftovers(world.files, dirname(folder), leftoversOf(folder), world.clock.now() - 3_600_000);
    const unpacked = await unpackInto(world.files, fresh, untilStopped(archive.entries, session.signal));
    return await putInPlace(session, { from, shown, folder, unpacked, archive: archive.seen() }, wishes);
  } finally {
    removeQuietly(world.files, fresh);
    kept.close();
  }
}

/** Lets signals be handled: unpacking from memory would not return to the event loop. */
async function stopHere(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

async function* untilStopped<T>(entries: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const entry of entries) {
    await stopHere(signal);
    yield entry;
  }
}

/** Matches folders of killed restores, which contain secrets. */
function leftoversOf(folder: string): RegExp {
  return new RegExp(`^\\.${basename(folder).replaceAll(/[^\w-]/g, "\\$&")}\\.restoring-[0-9a-f]{8}$`);
}

/** Opens a backup twice: its first bytes name the kind of key, which may have to be asked for. */
async function openArchive(session: RestoreSession, kept: Kept, wishes: KeyWishes, typed: TypedPassphrase) {
  const { world, redactor, signal } = session;
  const { first, all } = await peek(await kept.read());
  for await (const _ of all) break;
  const keys = await chooseKeys({ world, redactor, typed }, wishes, kept.shown, first);
  const hash = createHash("sha256");
  let size = 0;
  const watched = async function* () {
    for await (const part of await kept.read()) {
      signal.throwIfAborted();
      hash.update(part);
      size += part.length;
      yield part;
    }
  };
  return { entries: readArchive(watched(), keys), seen: () => ({ sha256: hash.digest("hex"), size }) };
}

interface ToRestore {
  from: string;
  shown: string;
  folder: string;
  unpacked: Unpacked;
  archive: { sha256: string; size: number };
}

async function putInPlace(session: RestoreSession, to: ToRestore, wishes: RestoreWishes): Promise<number> {
  const { world, bus } = session;
  const { files } = world;
  const { folder, shown, unpacked } = to;
  const there = files.stat(folder);
  if (there !== undefined && there.kind !== "folder")
    throw userError("NO_ENVIRONMENT", { message: `${shown} is a file`, hint: "name a folder. Nothing was changed." });
  const lock = there && lockEnvironment(world, folder, "restore");
  try {
    const difference = await compareWith(files, folder, unpacked);
    const before = `.before-${stamp(world)}`;
    const aside = `${shown.replace(/\/+$/, "")}${before}`;
    if (difference?.same) {
      bus.emit({ type: "result", result: alreadyThere(to) });
      return 0;
    }
    if (difference && !wishes.replace) refuseNewer(to, difference);
    bus.emit({ type: "result", result: announcement(to, difference, aside) });
    if (!(await wishes.confirm())) {
      bus.emit({ type: "notice", level: "info", message: "Nothing was changed." });
      return 1;
    }
    const at = timeOf(unpacked);
    addBackupRecord(files, unpacked.root, { at, where: absolute(to.from), ...to.archive, content: preciousOf(unpacked.files) });
    await stopHere(session.signal);
    lock?.check();
    const wasKept = replaceFolder(files, unpacked.root, folder, `${folder}${before}`);
    bus.emit({ type: "result", result: done(to, wasKept ? aside : undefined) });
    afterwards(session, to);
    return 0;
  } finally {
    lock?.release();
  }
}

function stamp({ clock }: World): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function refuseNewer({ shown, unpacked }: ToRestore, { otherSecrets, newer }: Difference): void {
  if (!otherSecrets && newer.length === 0) return;
  const why = otherSecrets ? "has another secrets.yaml than the backup" : "was changed after the backup was made";
  throw userError("RESTORE_NEWER", {
    message: `${shown} ${why}`,
    detail: [`backup of ${timeOf(unpacked)}`, ...(newer.length > 0 ? [`changed since: ${some(newer)}`] : [])].join("\n"),
    hint: "to go back to the backup anyway, add --replace: the folder is kept under another name. Nothing was changed.",
  });
}

function some(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ");
}

function timeOf({ atMs }: Unpacked): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

function about({ from, unpacked }: ToRestore) {
  const { manifest, files } = unpacked;
  return [
    { key: "from", label: "from", value: from },
    {
      key: "cluster",
      label: "cluster",
      value: manifest?.environment ?? manifest?.cluster ?? "unknown: the backup has no list of its files",
    },
    { key: "at", label: "made", value: timeOf(unpacked) },
    { key: "files", label: "files", value: files.length },
  ];
}

const NOTE = { key: "note", label: "note", value: "the backup does not contain what ran in the cluster (etcd data)" };

function announcement(to: ToRestore, difference: Difference | undefined, aside: string) {
  const lost = difference ? [{ key: "aside", label: "kept", value: `the existing folder, as ${aside}` }] : [];
  const differing =
    difference && difference.differing.length > 0
      ? [{ key: "differing", label: "differs", value: some(difference.differing) }]
      : [];
  return {
    kind: "facts" as const,
    name: "restore",
    title: `${to.shown} would be restored; the backup is intact`,
    facts: [...about(to), ...differing, ...lost, NOTE],
    next: [],
  };
}

function alreadyThere(to: ToRestore) {
  const next = [ownCommand("status", to.shown)];
  return {
    kind: "facts" as const,
    name: "restore",
    title: `${to.shown} already matches the backup: nothing to do`,
    facts: about(to),
    next,
  };
}

function done(to: ToRestore, aside: string | undefined) {
  const kept = aside === undefined ? [] : [{ key: "aside", label: "kept", value: `the previous folder: ${aside}` }];
  const next = [ownCommand("status", to.shown), ownCommand("plan", to.shown)];
  return {
    kind: "facts" as const,
    name: "restore",
    title: `${to.shown} is restored`,
    facts: [...about(to), ...kept, NOTE],
    next,
  };
}

/** Warns about files that must be restored by hand. */
function afterwards({ world, bus, redactor }: RestoreSession, { shown, folder, unpacked: { manifest } }: ToRestore): void {
  for (const [path, place] of Object.entries(manifest?.outside ?? {})) {
    if (world.files.stat(resolve(folder, place)) !== undefined) continue;
    const message = `${place} was outside the folder and is missing here`;
    bus.emit({ type: "notice", level: "warn", message, hint: `cp ${join(shown, path)} ${resolve(folder, place)}` });
  }
  const { problem } = referredFiles(openEnvironment, world, shown, redactor);
  if (problem !== undefined)
    bus.emit({
      type: "notice",
      level: "warn",
      message: `the config cannot be used here yet: ${problem}`,
      hint: ownCommand("plan", shown),
    });
}
