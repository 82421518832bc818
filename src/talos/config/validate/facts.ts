import type { Json } from "@talosmith/lib/json.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import type { Role } from "../../../config/config.ts";
import { type ConfigDocument, isList, isObject, type JsonObject } from "../document.ts";
import type { Minor } from "../fields/kinds.ts";

/** The facts about a machine config that rules use. */
export interface Facts {
  readonly byKind: ReadonlyMap<string, readonly ConfigDocument[]>;
  /** The original document; empty when there is none. */
  readonly original: ConfigDocument;
  readonly role: Role;
  /** Metal installs Talos by this config, a cloud's image is installed. */
  readonly mode: "metal" | "cloud";
  readonly minor: Minor;
  readonly talosVersion: string;
}

export interface Found {
  readonly document: ConfigDocument;
  readonly path: Path;
  /** The text after the name of the document. */
  readonly says: string;
  readonly hint: string;
}

export type Rule = (facts: Facts) => Iterable<Found>;

export function ofKind({ byKind }: Facts, ...kinds: readonly string[]): readonly ConfigDocument[] {
  const [only = "", ...more] = kinds;
  if (more.length === 0) return byKind.get(only) ?? [];
  return kinds.flatMap((kind) => byKind.get(kind) ?? []);
}

/** Kinds and keys since then. */
export function isSince({ minor }: Facts, since: Minor): boolean {
  return Number(minor.slice(2)) >= Number(since.slice(2));
}

/** Rules ask for the same paths of every node. */
const split = new Map<string, readonly string[]>();

export function at(value: Json | undefined, path: string): Json | undefined {
  let steps = split.get(path);
  if (steps === undefined) {
    steps = path.split(".");
    split.set(path, steps);
  }
  let inner = value;
  for (const key of steps) {
    if (!isObject(inner)) return undefined;
    inner = inner[key];
  }
  return inner;
}

export function textAt(value: Json | undefined, path: string): string {
  const found = at(value, path);
  return found === undefined || found === null || isObject(found) || isList(found) ? "" : String(found);
}

export function listAt(value: Json | undefined, path: string): readonly Json[] {
  const found = at(value, path);
  return isList(found) ? found : [];
}

export function objectsAt(value: Json | undefined, path: string): readonly JsonObject[] {
  return listAt(value, path).filter((item) => isObject(item));
}

export function mapAt(value: Json | undefined, path: string): JsonObject {
  const found = at(value, path);
  return isObject(found) ? found : {};
}

/** Whether a value is present and not empty. A section counts even when it is empty. */
export function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return false;
  return !isList(value) || value.length > 0;
}

export function found(document: ConfigDocument, path: string, says: string, hint: string): Found {
  return { document, path: path === "" ? [] : path.split("."), says, hint };
}
