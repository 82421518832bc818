import type { LayeredFiles } from "@talosmith/lib/world/layered-files.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { eachScalar, type Path } from "@talosmith/lib/yaml/tree.ts";
import { expandPath, isReference, REFERENCE } from "../config/references.ts";
import { holdsPrivateKey, isSecret } from "../config/secrets.ts";
import { readSpelled } from "../config/spellings/spelling.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import type { Credential } from "../platforms/lab.ts";

/** Shaped like an API token, because some values are checked for that; any text would do for the others. */
const ANY_SECRET = "rehearsal@pve!rehearsal=00000000-0000-4000-8000-000000000000";

/** Where a rehearsal keeps what replaces the user's credentials. */
export interface StandInPlace {
  /** Without stand-ins. */
  world: World;
  folder: string;
  files: LayeredFiles;
  /** Environment variables that replace those of the user. */
  env: Map<string, string>;
}

/**
 * Replaces the credentials that a config has or refers to by those of the lab, so that the real ones are never read: in variables and files that it
 * refers to, else in the copy of the config itself. A secret that is missing altogether gets a value, so that a rehearsal needs none.
 */
export function putStandIns(place: StandInPlace, credentials: readonly Credential[], key: string): void {
  const { files, folder } = place;
  const edits = new Map<string, { text: string; changes: { start: number; end: number; text: string }[] }>();
  for (const tree of readSpelled(PLATFORM_CONFIGS, files, folder).trees) {
    eachScalar(tree, (scalar, path) => {
      const { value } = scalar;
      if (typeof value !== "string") return;
      const wanted = isSshKey(path) ? key : credentials.find((one) => endsWith(path, one.path))?.value;
      if (wanted === undefined) return isSecret(path) ? putMissing(place, value) : undefined;
      if (isReference(value)) return putReference(place, value, wanted);
      if (isSshKey(path) && !holdsPrivateKey(value) && !value.includes("${")) return putFile(place, value, wanted);
      const { source, start, end } = scalar.definedAt ?? scalar.at;
      const edit = edits.get(source.file) ?? { text: source.text, changes: [] };
      edits.set(source.file, edit);
      edit.changes.push({ start, end, text: JSON.stringify(wanted) });
    });
  }
  for (const [file, { text, changes }] of edits) files.put(file, changed(text, changes), 0o600);
}

/** Replaces the later ones first, because they move what follows them; a value that aliases share is replaced once. */
function changed(text: string, changes: readonly { start: number; end: number; text: string }[]): string {
  const once = new Map(changes.map((change) => [change.start, change]));
  const sorted = [...once.values()].sort((a, b) => b.start - a.start);
  return sorted.reduce((before, one) => before.slice(0, one.start) + one.text + before.slice(one.end), text);
}

const SSH_KEYS = [["ssh", "key"], ["proxmox_ssh_key"], ["vps_ssh_key"], ["flux", "key"], ["argocd", "key"]];

const isSshKey = (path: Path) => SSH_KEYS.some((end) => endsWith(path, end));

/** Compares names only: credentials of nodes are in lists. */
function endsWith(path: Path, end: readonly string[]): boolean {
  const names = path.filter((step) => typeof step === "string");
  return end.length <= names.length && end.every((name, at) => names[names.length - end.length + at] === name);
}

function putReference(place: StandInPlace, reference: string, value: string): void {
  const [, kind, name = ""] = /^\$\{(env|file):([^}$]+)\}$/.exec(reference) ?? [];
  if (kind === "env") place.env.set(name, value);
  else putFile(place, name, value);
}

function putFile({ world, files, folder }: StandInPlace, path: string, value: string): void {
  const full = expandPath(path, world, folder);
  if (full !== undefined) files.put(full, value);
}

/** Gives the variables and files a value that a secret refers to and that do not exist. */
function putMissing(place: StandInPlace, value: string): void {
  for (const [reference] of value.matchAll(REFERENCE)) {
    const [, kind, name = ""] = /^\$\{(env|file):([^}$]+)\}$/.exec(reference) ?? [];
    if (kind === "env" ? !(place.env.has(name) || place.world.env(name)) : kind === "file" && !isThere(place, name))
      putReference(place, reference, ANY_SECRET);
  }
}

function isThere({ world, files, folder }: StandInPlace, path: string): boolean {
  const full = expandPath(path, world, folder);
  return full !== undefined && files.stat(full) !== undefined;
}
