import { ApiError, type Cause } from "../api/status.ts";
import type { KubeObject, Loose, ManagedFields, Manifest } from "../objects.ts";
import { type ListOf, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, intersection, isEmpty, pathsIn, SELF, union } from "./field-set.ts";
import { compare, fieldsIn, itemKey, ownable, partsOf } from "./fields.ts";
import { entryOf, ownedBy, sorted, type Writer, without } from "./managed.ts";
import { isRecord } from "./merge.ts";

export interface Applying extends Writer {
  force: boolean;
}

/** Server-side apply: the live object with the applied fields, without those that this manager no longer applies. */
export function applyConfig(live: KubeObject, config: Manifest, by: Applying): Manifest {
  const known = live.metadata.managedFields ?? [];
  const mine = known.find(ownedBy(by, "Apply"));
  const others = known.filter((entry) => entry !== mine);
  const wanted = fieldsIn(config, by, by.schema);
  const merged = mergeApplied(live, ownable(config, by), by.schema);
  const kept = others.reduce((all, entry) => union(all, entry.fieldsV1), wanted);
  const result = removeFields(merged, unwanted(mine?.fieldsV1 ?? {}, kept), by.schema);
  if (!by.force) refuseConflicts(changesOf(live, result, by), others);
  return { ...result, apiVersion: config.apiVersion };
}

function changesOf(live: KubeObject, result: Loose, by: Applying): FieldSet {
  const { added, modified } = compare(ownable(live, by), ownable(result, by), by.schema);
  return union(added, modified);
}

/** Fields of `mine` that are in no other set. A parent of a kept field is kept as well. */
function unwanted(mine: FieldSet, kept: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, inner] of Object.entries(mine)) {
    const other = kept[step];
    if (!other) {
      result[step] = inner;
      continue;
    }
    const { [SELF]: _, ...below } = inner;
    const rest = unwanted(below, other);
    if (!isEmpty(rest)) result[step] = rest;
  }
  return result;
}

/** managedFields after an apply: the applied fields belong to the manager, and changed fields are removed from other managers. */
export function managedAfterApply(
  known: readonly ManagedFields[],
  live: KubeObject | undefined,
  stored: KubeObject,
  config: Manifest,
  by: Applying,
): ManagedFields[] {
  const mine = known.find(ownedBy(by, "Apply"));
  const entry = entryOf(by, "Apply", fieldsIn(config, by, by.schema), mine);
  const { added, modified, removed } = compare(ownable(live ?? {}, by), ownable(stored, by), by.schema);
  const lost = union(union(added, modified), removed);
  return sorted([...entry, ...known.filter((other) => other !== mine).flatMap((other) => without(other, lost))]);
}

/** Refuses conflicts with the message of k8s.io/apimachinery's NewConflictError. */
function refuseConflicts(changes: FieldSet, others: readonly ManagedFields[]): void {
  const found = others
    .map((entry) => ({ who: describe(entry), paths: pathsIn(intersection(changes, entry.fieldsV1)) }))
    .filter(({ paths }) => paths.length > 0)
    .sort((a, b) => (a.who < b.who ? -1 : 1));
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((path): Cause => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field: path })),
  );
  const [only] = causes;
  if (!only) return;
  const lists = found.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  const text =
    causes.length === 1 ? `1 conflict: ${only.message}: ${only.field}` : `${causes.length} conflicts: ${lists.join("\n")}`;
  throw new ApiError(409, "Conflict", `Apply failed with ${text}`, { causes });
}

/** Managers that apply are described by their names alone. */
function describe({ manager, operation, apiVersion, subresource }: ManagedFields): string {
  const status = subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${status}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

function mergeApplied(live: Loose, config: Loose, schema: Schema): Loose {
  if (isRecord(config)) {
    if ((schema.is === "struct" || schema.is === "map") && schema.atomic) return config;
    const result: Record<string, Loose> = isRecord(live) ? { ...live } : {};
    for (const [key, value] of Object.entries(config)) {
      if (value !== null) result[key] = mergeApplied(result[key], value, memberOf(schema, key));
    }
    return result;
  }
  if (!Array.isArray(config) || !Array.isArray(live) || schema.is !== "list" || schema.by === "atomic") return config;
  if (schema.by === "set") return [...live, ...config.filter((item) => !live.includes(item))];
  return mergeItems(live, config, schema);
}

/** Merges lists in the order of the applied one; live-only items stay after their predecessors. */
function mergeItems(live: Loose[], config: Loose[], schema: ListOf): Loose[] {
  const key = (item: Loose) => itemKey(item, schema);
  const result = config.map((item) => {
    const old = live.find((other) => key(other) === key(item));
    return old === undefined ? item : mergeApplied(old, item, schema.of);
  });
  live.forEach((item, index) => {
    if (result.some((other) => key(other) === key(item))) return;
    const before = live[index - 1];
    const at = before === undefined ? 0 : result.findIndex((other) => key(other) === key(before)) + 1;
    result.splice(at, 0, item);
  });
  return result;
}

function removeFields(value: Loose, set: FieldSet, schema: Schema): Loose {
  if (isEmpty(set)) return value;
  const parts = partsOf(value, schema);
  if (!parts) return value;
  const kept = parts.flatMap((part) => {
    const drop = set[part.step];
    if (!drop) return [part];
    if (isEmpty(drop) || SELF in drop) return [];
    const left = removeFields(part.value, drop, part.schema);
    const empty = isRecord(left) ? Object.keys(left).length === 0 : Array.isArray(left) && left.length === 0;
    return empty ? [] : [{ ...part, value: left }];
  });
  if (Array.isArray(value)) return kept.map((part) => part.value);
  return Object.fromEntries(kept.map((part) => [part.step.slice(2), part.value]));
}
