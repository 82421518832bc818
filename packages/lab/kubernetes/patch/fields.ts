import { isDeepStrictEqual } from "node:util";
import type { Loose } from "../objects.ts";
import { ANY, type ListOf, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, isEmpty, SELF, union } from "./field-set.ts";
import { isRecord } from "./merge.ts";

/** Fields without an owner. */
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
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
];

/** The half of an object that a request writes: the status is written through its own subresource. */
export interface Half {
  subresource?: string;
  /** The kind has a status subresource. */
  hasStatus: boolean;
}

/** An object without unowned fields, and without the half that this request cannot write. */
export function ownable(object: Loose, { subresource, hasStatus }: Half): Loose {
  const { metadata = {}, status, ...rest } = object;
  const kept = Object.entries(metadata).filter(([key]) => !UNOWNED_META.includes(key));
  const fields = Object.entries(rest).filter(([key]) => !UNOWNED.includes(key) && subresource !== "status");
  return {
    ...Object.fromEntries(fields),
    metadata: Object.fromEntries(kept),
    ...(status !== undefined && (subresource === "status" || !hasStatus) && { status }),
  };
}

export interface FieldStep {
  step: string;
  schema: Schema;
  value: Loose;
}

/** The members of a value; undefined for an atomic value. */
export function partsOf(value: Loose, schema: Schema): FieldStep[] | undefined {
  if (isRecord(value)) {
    if ((schema.is === "struct" || schema.is === "map") && schema.atomic) return undefined;
    return Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => ({ step: `f:${key}`, schema: memberOf(schema, key), value: member }));
  }
  if (!Array.isArray(value) || schema.is !== "list" || schema.by === "atomic") return undefined;
  const { by, of } = schema;
  if (by === "set") return value.map((item) => ({ step: `v:${JSON.stringify(item)}`, schema: ANY, value: item }));
  if (!value.every(isRecord)) return undefined;
  return value.map((item) => ({ step: `k:${itemKey(item, schema)}`, schema: of, value: item }));
}

/** The key of a list item, with the API's default for missing keys: a port is a TCP port. */
export function itemKey(item: Loose, { by }: ListOf): string {
  const keys = typeof by === "string" ? [] : by;
  const named = keys
    .map((key) => [key, item[key] ?? (key === "protocol" ? "TCP" : undefined)] as const)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(named));
}

/** The fields that an applied value owns: every leaf; map keys and list items also as such. */
export function fieldsOf(value: Loose, schema: Schema): FieldSet {
  const result: FieldSet = {};
  for (const part of partsOf(value, schema) ?? []) {
    const inner = fieldsOf(part.value, part.schema);
    const declared = schema.is === "struct" && schema.field(part.step.slice(2)) !== undefined;
    if (isEmpty(inner)) {
      // An empty list that cannot have items has no owner.
      if (!declared || !isEmptyList(part)) result[part.step] = {};
    } else result[part.step] = declared ? inner : { [SELF]: {}, ...inner };
  }
  return result;
}

/** The fields of a whole object: metadata itself has no owner. */
export function fieldsIn(object: Loose, half: Half, schema: Schema): FieldSet {
  const { "f:metadata": metadata = {}, ...rest } = fieldsOf(ownable(object, half), schema);
  return isEmpty(metadata) ? rest : { ...rest, "f:metadata": metadata };
}

function isEmptyList({ value, schema }: FieldStep): boolean {
  return Array.isArray(value) && value.length === 0 && schema.is === "list" && schema.by !== "atomic";
}

/** A value and everything below it. */
function whole(value: Loose, schema: Schema): FieldSet {
  const below = Object.fromEntries((partsOf(value, schema) ?? []).map((part) => [part.step, whole(part.value, part.schema)]));
  return isEmpty(below) ? {} : { [SELF]: {}, ...below };
}

export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/** The differences between two versions of an object, field by field. */
export function compare(before: Loose, after: Loose, schema: Schema): Comparison {
  const result: Comparison = { added: {}, modified: {}, removed: {} };
  const was = new Map((partsOf(before, schema) ?? []).map((part) => [part.step, part]));
  const put = (into: keyof Comparison, step: string, set: FieldSet) => {
    result[into][step] = result[into][step] ? union(result[into][step], set) : set;
  };
  for (const part of partsOf(after, schema) ?? []) {
    const old = was.get(part.step);
    was.delete(part.step);
    if (!old) put("added", part.step, whole(part.value, part.schema));
    else if (!isDeepStrictEqual(old.value, part.value)) {
      if (!partsOf(old.value, part.schema) || !partsOf(part.value, part.schema)) put("modified", part.step, {});
      const below = compare(old.value, part.value, part.schema);
      for (const into of ["added", "modified", "removed"] as const) if (!isEmpty(below[into])) put(into, part.step, below[into]);
    }
  }
  for (const part of was.values()) put("removed", part.step, whole(part.value, part.schema));
  return result;
}

/** An empty object of this kind, with the fields that always exist. */
export function blank(schema: Schema): Loose {
  if (schema.is !== "struct") return {};
  return Object.fromEntries(
    [...schema.fields()]
      .filter(([, { always, required, schema: its }]) => always || (required && its.is === "list"))
      .map(([name, field]) => [name, field.schema.is === "list" ? [] : blank(field.schema)]),
  );
}
