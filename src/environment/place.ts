import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Environment } from "./environment.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";

/** The location of an environment and its identity. Stored in the folder itself, so a copy of the folder shows where it was copied from. */
interface Place {
  folder: string;
  host: string;
  cluster: string;
  /** cluster's name and a part that comes from its secrets. */
  environment: string;
}

type Of = Pick<Environment, "folder" | "shown" | "config" | "where">;

/** Files derived from a cluster's secrets or state, which a new cluster must not start with. */
export const OF_A_CLUSTER =
  /^(secrets\.yaml|age\.agekey|talosconfig|kubeconfig|controlplane\.yaml|worker\.yaml|patch-.*\.yaml|wg-.*\.conf|outputs\.json|\.talosmith)$/;

/** Refuses a folder whose secrets belong to a cluster with another name: two clusters would share authorities and identity. */
export function refuseOtherName(world: World, env: Of, environment: () => string | undefined): void {
  const before = readPlace(world, env.folder);
  const { name } = env.config.cluster;
  if (!before || before.cluster === name) return;
  const now = environment();
  if (now === undefined || keysOf(before.environment, before.cluster) !== keysOf(now, name)) return;
  const where = env.where(["cluster", "name"]);
  const original = isElsewhere(world, env, before) ? before.folder : undefined;
  throw userError("COPIED_FOLDER", {
    message: `The secrets in ${env.shown} belong to the cluster ${before.cluster}, and the config calls it ${name}`,
    detail: [
      original === undefined ? "A cluster cannot be renamed." : `This folder is a copy of ${original}.`,
      "If two clusters had the same secrets, the keys of one would give access to the other.",
    ].join("\n"),
    ...(where && { where }),
    hint:
      original === undefined
        ? `put cluster.name back to ${before.cluster}. For another cluster use another folder, with nothing but the config:\n  mkdir ${name} && cp ${shellWord(`${env.shown}/config.yaml`)} ${name}/\nNothing was contacted or changed.`
        : `for a new cluster remove from the copy what belongs to ${before.cluster}:\n  ${removal(world, env)}\nand give its nodes other addresses. Otherwise put cluster.name back to ${before.cluster}. Nothing was contacted or changed.`,
  });
}

/** Checks that this folder is the environment and not a second copy of it on the same machine, and records that. Returns a note for the user. */
export function settle(world: World, env: Of, environment: string | undefined): string | undefined {
  refuseOtherName(world, env, () => environment);
  if (environment === undefined) return undefined;
  const { name } = env.config.cluster;
  const now: Place = { folder: env.folder, host: world.processes.self().host, cluster: name, environment };
  const before = readPlace(world, env.folder);
  if (JSON.stringify(before) === JSON.stringify(now)) return undefined;
  const same = before?.environment === environment;
  if (same && isElsewhere(world, env, before)) throw copied(world, env, before.folder);
  makeFolderDurably(world.files, paths.state(env.folder), PRIVATE_FOLDER);
  writeDurably(world.files, paths.place(env.folder), `${JSON.stringify(now, null, 2)}\n`, PRIVATE_FILE);
  if (!same || (before.host === now.host && isHere(world, env.folder, before.folder))) return undefined;
  const from = before.host === now.host ? before.folder : `${before.folder} on ${before.host}`;
  return `this environment was in ${from}; it is here now. Use it from one folder only`;
}

function copied(world: World, env: Of, original: string) {
  const { name } = env.config.cluster;
  return userError("COPIED_FOLDER", {
    message: `${env.shown} is a copy of ${original}, and both are the cluster ${name}`,
    detail: "Two folders would undo each other's changes, and only one would have the latest secrets and records.",
    hint: `work in the original:  ${original}\nto continue here instead, rename the original first:  mv ${shellWord(original)} ${shellWord(`${original}.old`)}\nfor another cluster give it another name and other addresses, and remove:  ${removal(world, env)}\nNothing was contacted or changed.`,
  });
}

/** Names only existing files. */
function removal({ files }: World, env: Of): string {
  const names = (files.list(env.folder) ?? []).filter((name) => OF_A_CLUSTER.test(name));
  return `cd ${shellWord(env.shown)} && rm -r ${names.map(shellWord).join(" ")}`;
}

/** Whether the recorded folder is a different one on this machine that still holds the same secrets. */
function isElsewhere(world: World, env: Of, before: Place): boolean {
  if (before.host !== world.processes.self().host || isHere(world, env.folder, before.folder)) return false;
  const [theirs, ours] = [before.folder, env.folder].map((folder) => readQuietly(world, paths.secrets(folder)));
  return theirs !== undefined && ours !== undefined && Buffer.compare(ours, theirs) === 0;
}

/** The same folder may have several paths: links, mounts. */
function isHere({ files }: World, here: string, there: string): boolean {
  if (here === there) return true;
  const [ours, theirs] = [here, there].map((folder) => quietly(() => files.stat(folder)?.id));
  return ours !== undefined && ours === theirs;
}

const readQuietly = ({ files }: World, path: string) => quietly(() => files.read(path));

/** Another user's folder may not be readable. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

const keysOf = (environment: string, cluster: string) => environment.slice(cluster.length + 1);

/** Undefined when there is no record, or an invalid one, which is then rewritten. */
function readPlace(world: World, folder: string): Place | undefined {
  try {
    const text = new TextDecoder().decode(readQuietly(world, paths.place(folder)));
    const { folder: at, host, cluster, environment } = JSON.parse(text) as Partial<Place>;
    if (typeof at !== "string" || typeof host !== "string" || typeof cluster !== "string" || typeof environment !== "string")
      return undefined;
    return { folder: at, host, cluster, environment };
  } catch {
    return undefined;
  }
}
