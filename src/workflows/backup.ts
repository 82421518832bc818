import { basename, join, relative, resolve } from "node:path";
import type { AgeLock } from "@talosmith/lib/age/crypt.ts";
import { readAgeIdentities } from "@talosmith/lib/age/identity.ts";
import { removeQuietly, writeDurably } from "@talosmith/lib/durable.ts";
import { remoteError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { S3Wishes } from "@talosmith/lib/s3/target.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import { changed, checkArchive, type ToArchive, writeArchive } from "../environment/backup/archive.ts";
import { type Contents, contentsOf, hashOf, type KeptFile, OUTSIDE } from "../environment/backup/contents.ts";
import { removeLeftovers } from "../environment/backup/leftovers.ts";
import { type Manifest, NO_ETCD } from "../environment/backup/manifest.ts";
import { isOutside, type Referred, referredFiles } from "../environment/backup/outside.ts";
import { addBackupRecord, preciousOf } from "../environment/backup/records.ts";
import { environmentFolder } from "../environment/environment.ts";
import { PRIVATE_FILE, paths } from "../environment/folder.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { environmentId } from "../talos/secrets/environment-id.ts";
import { readSecrets } from "../talos/secrets/read.ts";
import { chooseLock, type LockWishes, PASSPHRASE, type TypedPassphrase } from "./backup-keys.ts";
import { absolute, placeFor, type ToKeep } from "./backup-places.ts";

export interface BackupWishes extends LockWishes {
  /** A file, a folder or s3://bucket/prefix; absent: the current folder. */
  to?: string;
  s3: S3Wishes;
  /** Include files outside the folder that the config refers to. */
  outside: boolean;
  /** "talosmith 0.1.0" */
  madeBy: string;
}

type BackupSession = Session & { redactor: Redactor };

/** Adds the recipients of the config if no flag gives a recipient or passphrase. An invalid config does not prevent a backup. */
function withRecipients({ world, redactor }: BackupSession, shown: string, wishes: BackupWishes): BackupWishes {
  const { recipients, recipientsFile, passphraseFile, newKey } = wishes;
  const isChosen = [recipients[0], recipientsFile, passphraseFile, newKey, world.env(PASSPHRASE)].some(
    (one) => one !== undefined,
  );
  if (isChosen) return wishes;
  try {
    const { config } = openEnvironment(world, shown, redactor, { withoutLogin: true });
    return { ...wishes, configured: config.backup.recipients };
  } catch {
    return wishes;
  }
}

/** `talosmith backup`: writes the folder as one encrypted file and reads it back. Does not change the folder's own files. */
export async function backUp(
  session: BackupSession,
  shown: string,
  wishes: BackupWishes,
  typed: TypedPassphrase,
): Promise<number> {
  const { world, bus, redactor, signal } = session;
  const folder = environmentFolder(world, shown);
  const { age, newKey } = await chooseLock({ world, redactor, typed }, withRecipients(session, shown, wishes));
  if (newKey && !isOutside(folder, resolve(newKey.file))) throw keyInside(newKey.file);
  const lock = lockEnvironment(world, folder, "backup");
  let place: ToKeep | undefined;
  try {
    removeLeftovers(world.files, paths.state(folder), /^backup-[0-9a-f]{8}$/);
    const referred = referredFiles(openEnvironment, world, shown, redactor);
    const to = await gather(session, folder, referred, wishes);
    refuseOwnKey(world, folder, to.contents, age);
    const { manifest } = to;
    const name = `env-${manifest.cluster}-${manifest.at.replaceAll(/[-:]/g, "")}.tar.gz.age`;
    place = placeFor(session, folder, name, wishes.to, wishes.s3);
    const sealed = await writeArchive(world, to, age, { file: place.temporary, signal });
    // Checked before it gets its name, and once more where it was sent to.
    await checkArchive(await place.read(), sealed.keys, manifest);
    signal.throwIfAborted();
    lock.check();
    if (newKey) writeDurably(world.files, newKey.file, newKey.text, PRIVATE_FILE);
    await place.keep(sealed);
    await sameAsWritten(place, sealed.sha256);
    const { sha256, size } = sealed;
    const content = preciousOf(to.contents.files);
    addBackupRecord(world.files, folder, { at: manifest.at, where: absolute(place.shown), sha256, size, content });
    warn(session, shown, referred, wishes.outside);
    bus.emit({
      type: "result",
      result: {
        kind: "facts",
        name: "backup",
        title: `${shown} is backed up`,
        facts: [
          { key: "where", label: "written", value: place.shown },
          { key: "files", label: "files", value: Object.keys(manifest.files).length },
          { key: "size", label: "size", value: `${Math.ceil(size / 1024)} KiB` },
          { key: "sha256", label: "sha256", value: sha256 },
          { key: "checked", label: "checked", value: checkedWords(age) },
          ...(newKey
            ? [{ key: "key", label: "key", value: `${newKey.file}: keep it elsewhere; only this key opens the backup` }]
            : []),
          ...("recipients" in age ? [{ key: "recipients", label: "for", value: age.recipients.join("\n") }] : []),
          { key: "holdsNot", label: "without", value: manifest.holdsNot.join("\n") },
          {
            key: "open",
            label: "by hand",
            value: `age -d ${"passphrase" in age ? "" : `-i ${newKey?.file ?? "KEY"} `}${basename(place.shown)} | tar -xz`,
          },
        ],
        next: [ownCommand("restore", place.shown, shown, ...("passphrase" in age ? [] : ["--identity", newKey?.file ?? "KEY"]))],
      },
    });
    return 0;
  } finally {
    if (place !== undefined) removeQuietly(world.files, place.temporary);
    place?.close();
    lock.release();
  }
}

const checkedWords = (age: AgeLock) =>
  "passphrase" in age
    ? "read back, decrypted with the passphrase and compared"
    : "read back, decrypted and compared; only a restore shows that your secret key opens it";

async function gather(
  { world, redactor }: BackupSession,
  folder: string,
  referred: Referred,
  { outside: along, madeBy }: BackupWishes,
): Promise<ToArchive> {
  const contents = await contentsOf(world.files, folder);
  const cluster =
    referred.name ??
    (basename(folder)
      .replaceAll(/[^\w-]+/g, "-")
      .replace(/^-+/, "") ||
      "environment");
  const outside = along ? await Promise.all(referred.outside.map((from, n) => outsideFile(world, from, n))) : [];
  const all = [...contents.files, ...outside];
  const manifest: Manifest = {
    format: 1,
    madeBy,
    cluster,
    ...environmentOf(world, folder, cluster, redactor),
    at: `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`,
    holdsNot: [NO_ETCD, ...contents.left, ...(along ? [] : referred.outside.map((path) => `${path}, outside the folder`))],
    files: Object.fromEntries(all.map(({ path, sha256, size, mode }) => [path, { sha256, size, mode }])),
    outside: Object.fromEntries(outside.map(({ path, from }) => [path, relativeTo(folder, from)])),
  };
  return { folder, contents, outside, manifest };
}

async function outsideFile({ files }: World, from: string, n: number): Promise<KeptFile & { from: string }> {
  const stat = files.stat(from);
  if (stat === undefined) throw changed(from);
  const { mode, modifiedMs } = stat;
  return { path: `${OUTSIDE}/${n + 1}-${basename(from)}`, from, mode, modifiedMs, ...(await hashOf(files.stream(from))) };
}

/** The path relative to the folder if it is at most two folders up, as a config would have it. */
function relativeTo(folder: string, path: string): string {
  const way = relative(folder, path);
  return way.startsWith("../../..") ? path : way;
}

/** The environment's id; none while its secrets.yaml is missing or cannot be used, which is backed up as it is. */
function environmentOf(world: World, folder: string, cluster: string, redactor: Redactor): { environment?: string } {
  const text = new TextDecoder().decode(world.files.read(paths.secrets(folder)));
  try {
    return { environment: environmentId(cluster, readSecrets(text, { file: "secrets.yaml", redactor }).cluster.id) };
  } catch {
    return {};
  }
}

const LARGEST_KEY = 64 * 1024;

const keyInside = (file: string) =>
  userError("BACKUP_OWN_KEY", {
    message: `${file} is inside the folder that is backed up: the key would be lost with it`,
    hint: "name a file elsewhere, if possible on another computer. Nothing was written.",
  });

/** Refuses a backup that only a key inside the same folder can open: both would be lost together. */
function refuseOwnKey(world: World, folder: string, { files }: Contents, age: AgeLock): void {
  if (!("recipients" in age)) return;
  const own = files
    .filter(({ path, size }) => !path.includes("/") && size < LARGEST_KEY)
    .flatMap(({ path }) => {
      const found = readAgeIdentities(new TextDecoder().decode(world.files.read(join(folder, path))));
      return "identities" in found ? found.identities.map(({ recipient }) => ({ recipient, path })) : [];
    });
  const inside = age.recipients.map((recipient) => own.find((one) => one.recipient === recipient));
  if (inside.includes(undefined)) return;
  throw userError("BACKUP_OWN_KEY", {
    message: `Only ${inside[0]?.path} in this folder could open the backup, and it would be lost with the folder`,
    hint: "create another key and keep it elsewhere: --new-key FILE, or add --recipient with one that you have. Nothing was written.",
  });
}

async function sameAsWritten(place: ToKeep, sha256: string): Promise<void> {
  const found = await hashOf(await place.read());
  if (found.sha256 === sha256) return;
  throw remoteError("BACKUP_DIFFERS", {
    message: `${place.shown} does not contain what was written`,
    detail: `sha256 ${found.sha256} instead of ${sha256}`,
    hint: "another program may have written to the same name, or the storage loses data: run the command again, or use another place",
  });
}

function warn({ bus }: BackupSession, shown: string, { problem, outside }: Referred, along: boolean): void {
  if (problem !== undefined)
    bus.emit({
      type: "notice",
      level: "warn",
      message: `the config cannot be used (${problem}): it may refer to files outside ${shown} that are not in the backup`,
      hint: `see the problems:  ${ownCommand("plan", shown)}`,
    });
  if (outside.length > 0 && !along)
    bus.emit({
      type: "notice",
      level: "warn",
      message: `not in the backup, because they are outside the folder: ${outside.join(", ")}`,
      hint: "back them up separately, or include them with --outside",
    });
}
