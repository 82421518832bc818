import { stringify } from "yaml";
import type { Json } from "../../../lib/json.ts";
import { type Keys, keysOfKind, keysOfType } from "./kinds.ts";
import { ConfigRefused, rawDocuments } from "./raw.ts";

export type Fields = { readonly [key: string]: Json };

/** One YAML document of a config; `v1alpha1` is the one with machine and cluster. */
export interface ConfigDocument {
  kind: string;
  name: string;
  fields: Fields;
}

/** The keys that make a document the nameless one. */
const OLD_FORM = ["machine", "cluster", "debug", "persist"];

/** Reads a config as Talos of this minor version does: strictly. */
export function readDocuments(text: string, minor: number): ConfigDocument[] {
  const documents: ConfigDocument[] = [];
  const seen = new Set<string>();
  for (const { line, value } of rawDocuments(text)) {
    if (value === null || value === undefined) continue;
    if (!isFields(value)) throw new ConfigRefused(`expected a YAML document at line ${line}`);
    const kind = typeof value.kind === "string" ? value.kind : "v1alpha1";
    const name = typeof value.name === "string" ? value.name : "";
    const id = `${typeof value.apiVersion === "string" ? value.apiVersion : ""}/${kind}/${name}`;
    if (seen.has(id)) throw new ConfigRefused(`duplicate document ${id} is not allowed (line ${line})`);
    seen.add(id);
    try {
      documents.push({ kind, name, fields: checked(value, minor) });
    } catch (refused) {
      if (!(refused instanceof ConfigRefused)) throw refused;
      throw new ConfigRefused(`error decoding document ${id} (line ${line}): ${refused.message}`);
    }
  }
  return documents;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checked(fields: Fields, minor: number): Fields {
  const { kind, apiVersion } = fields;
  const oldForm = kind === undefined && (apiVersion === "v1alpha1" || OLD_FORM.some((key) => key in fields));
  if (oldForm) {
    requireKnownKeys(fields, keysOfType("Config"));
    return fields;
  }
  if (typeof kind !== "string" || kind === "") throw new ConfigRefused("missing kind");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new ConfigRefused("missing apiVersion");
  const keys = apiVersion === "v1alpha1" ? keysOfKind(kind, minor) : "unknown";
  if (keys === "unknown") throw new ConfigRefused(`"${kind}" "${apiVersion}": not registered`);
  const { kind: _, apiVersion: __, ...rest } = fields;
  requireKnownKeys(rest, keys);
  return fields;
}

function requireKnownKeys(fields: Fields, keys: Keys | undefined): void {
  const odd = wrongScalar(fields, keys);
  if (odd !== undefined) throw new ConfigRefused(`yaml: construct errors:\n  ${odd}`);
  const unknown = unknownKeys(fields, keys);
  if (unknown !== undefined) {
    throw new ConfigRefused(`unknown keys found during decoding:\n${stringify(unknown, { indent: 4 })}`);
  }
}

/** A word where keys should be. */
function wrongScalar(value: Json, keys: Keys | undefined): string | undefined {
  if (Array.isArray(value)) return value.map((item) => wrongScalar(item, keys)).find((found) => found !== undefined);
  if (!isFields(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const type = keys?.get(key);
    if (type === undefined || inner === null) continue;
    if (typeof inner !== "object") return `cannot construct !!str \`${String(inner)}\` into v1alpha1.${type}`;
    const deeper = wrongScalar(inner, keysOfType(type));
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** What is left when everything known is taken out; undefined when nothing is. */
function unknownKeys(value: Json, keys: Keys | undefined): Json | undefined {
  if (keys === undefined) return undefined;
  if (Array.isArray(value)) {
    const left = value.map((item) => unknownKeys(item, keys)).filter((item) => item !== undefined);
    return left.length === 0 ? undefined : left;
  }
  if (!isFields(value)) return undefined;
  const left = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    if (!keys.has(key)) return [[key, inner]];
    const type = keys.get(key);
    const unknown = type === undefined ? undefined : unknownKeys(inner, keysOfType(type));
    return unknown === undefined ? [] : [[key, unknown]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
