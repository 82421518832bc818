import type { Json } from "@talosmith/lib/json.ts";
import type { Field } from "../engine/step.ts";
import { isDelicate } from "./helm/delicate.ts";
import { isMap, type Values } from "./helm/release.ts";
import { canonical, hide } from "./helm/release-differences.ts";
import type { KubernetesObject } from "./objects.ts";

/** Fields that the server itself or controllers write. */
const OF_THE_SERVER = ["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"];
const LONGEST = 120;

/** The changes of an apply by field: `after` is the server's dry-run result. For Secrets, values are not shown. */
export function objectDifferences(before: KubernetesObject, after: KubernetesObject): Field[] {
  const hidden = before.kind === "Secret" ? /^(data|stringData)\b/ : undefined;
  return differencesAt("", wished(before), wished(after)).map((field) => {
    if (hidden?.test(field.path) || isDelicate(field.path, field.from as Json) || isDelicate(field.path, field.to as Json))
      return hide(field);
    return { ...field, from: short(field.from as Json), to: short(field.to as Json) };
  });
}

/** An object without server-managed fields. */
function wished(object: KubernetesObject): Values {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { status?: unknown };
  const own = Object.entries(metadata).filter(([key, value]) => !OF_THE_SERVER.includes(key) && value !== undefined);
  return { ...(rest as unknown as Values), metadata: Object.fromEntries(own) as Values };
}

function differencesAt(path: string, before: Json | undefined, after: Json | undefined): Field[] {
  if (canonical(before) === canonical(after)) return [];
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differencesAt(below(path, key), own(before, key), own(after, key)));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item: Json, index) => differencesAt(`${path}[${index}]`, item, after[index]));
  return [{ path, from: shown(before), to: shown(after) }];
}

const own = (map: Values, key: string) => (Object.hasOwn(map, key) ? map[key] : undefined);

function below(path: string, key: string): string {
  const name = key.replaceAll(".", "\\.");
  return path === "" ? name : `${path}.${name}`;
}

/** In a field null means that there is nothing. */
function shown(value: Json | undefined): Json {
  if (value === undefined) return null;
  return value === null ? "null" : value;
}

/** A definition's schema would fill screens. */
function short(value: Json): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= LONGEST ? value : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}
