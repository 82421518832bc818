import { isDeepStrictEqual } from "node:util";
import type { Loose } from "../objects.ts";
import { listType } from "./list-keys.ts";
import { isRecord } from "./merge.ts";

/**
 * Sets of fields in the form managedFields has them: {"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}}}}}. An empty one is a whole value.
 */
export interface FieldSet {
  [step: string]: FieldSet;
}

/** Nobody owns these. */
const UNOWNED = ["apiVersion", "kind"];
const UNOWNED_META = [
  "name",
  "namespace",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
];
const UNOWNED_DELETION = ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];

/** An object without what nobody owns. */
export function ownable(object: Loose): Loose {
  const { metadata = {}, ...rest } = object;
  const kept = Object.entries(metadata).filter(([key]) => ![...UNOWNED_META, ...UNOWNED_DELETION].includes(key));
  const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => !UNOWNED.includes(key)));
  return { ...fields, ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }) };
}

/** The steps from a value to what it holds; undefined when it is one whole value. */
export function partsOf(
  value: Loose,
  path: readonly string[],
  custom: boolean,
): { step: string; path: string[]; value: Loose }[] | undefined {
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return entries.map(([key, member]) => ({ step: `f:${key}`, path: [...path, key], value: member }));
  }
  if (!Array.isArray(value)) return undefined;
  const type = listType(path, value, custom);
  if (type.is === "atomic") return undefined;
  if (type.is === "set") return value.map((item) => ({ step: `v:${JSON.stringify(item)}`, path: [...path], value: item }));
  return value.map((item) => ({ step: `k:${itemKey(item, type.keys)}`, path: [...path], value: item }));
}

export function itemKey(item: Loose, keys: readonly string[]): string {
  const named = keys
    .map((key) => [key, item[key] ?? (key === "protocol" ? "TCP" : undefined)] as const)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(named));
}

export function fieldsOf(value: Loose, custom: boolean, path: readonly string[] = []): FieldSet {
  const parts = partsOf(value, path, custom) ?? [];
  return Object.fromEntries(
    parts.map((part) => {
      const inner = fieldsOf(part.value, custom, part.path);
      return [part.step, part.step.startsWith("k:") ? { ".": {}, ...inner } : inner];
    }),
  );
}

/** Every field that is another afterwards, new and lost ones among them. */
export function changedFields(before: Loose, after: Loose, custom: boolean, path: readonly string[] = []): FieldSet {
  const old = partsOf(before, path, custom);
  const now = partsOf(after, path, custom);
  if (!old || !now) return {};
  const result: FieldSet = {};
  const seen = new Map(old.map((part) => [part.step, part]));
  for (const part of now) {
    const was = seen.get(part.step);
    seen.delete(part.step);
    if (!was)
      result[part.step] = part.step.startsWith("k:")
        ? { ".": {}, ...fieldsOf(part.value, custom, part.path) }
        : fieldsOf(part.value, custom, part.path);
    else if (!isDeepStrictEqual(was.value, part.value))
      result[part.step] = changedFields(was.value, part.value, custom, part.path);
  }
  for (const part of seen.values()) result[part.step] = { ".": {}, ...fieldsOf(part.value, custom, part.path) };
  return result;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const result = { ...a };
  for (const [step, inner] of Object.entries(b)) result[step] = result[step] ? union(result[step], inner) : inner;
  return result;
}

/** What of `a` is not in `b`. An empty set is the value itself, apart from what is below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, inner] of Object.entries(a)) {
    const other = b[step];
    if (!other || (isEmpty(inner) && !isEmpty(other) && !("." in other))) {
      result[step] = inner;
    } else if (!isEmpty(inner)) {
      const rest = difference(inner, isEmpty(other) ? { ".": {} } : other);
      if (!isEmpty(rest)) result[step] = rest;
    }
  }
  return result;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, inner] of Object.entries(a)) {
    const other = b[step];
    if (!other) continue;
    const both = intersection(inner, other);
    if (!isEmpty(both) || isEmpty(inner) || isEmpty(other)) result[step] = both;
  }
  return result;
}

export function isEmpty(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** Paths of the leaves, as conflicts print them: `.spec.ports[port=80,protocol="TCP"].targetPort`. */
export function leaves(set: FieldSet, prefix = ""): { path: string; steps: string[] }[] {
  return Object.entries(set).flatMap(([step, inner]) => {
    if (step === ".") return [];
    const here = prefix + printed(step);
    const below = leaves(inner, here);
    if (below.length === 0) return [{ path: here, steps: [step] }];
    return below.map((leaf) => ({ path: leaf.path, steps: [step, ...leaf.steps] }));
  });
}

function printed(step: string): string {
  if (step.startsWith("f:")) return `.${step.slice(2)}`;
  if (step.startsWith("v:")) return `[=${step.slice(2)}]`;
  const keys = Object.entries(JSON.parse(step.slice(2)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
