import { isDeepStrictEqual } from "node:util";
import { ApiError, type Cause } from "../api/status.ts";
import type { KubeObject, Loose, ManagedFields, Manifest } from "../objects.ts";
import {
  difference,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmpty,
  itemKey,
  leaves,
  ownable,
  partsOf,
  union,
} from "./fields.ts";
import { listType } from "./list-keys.ts";
import { isRecord } from "./merge.ts";

export interface Applying {
  manager: string;
  force: boolean;
  custom: boolean;
}

/** Server-side apply: the live object with the applied fields in it, without those this manager no longer wants. */
export function applyConfig(live: KubeObject, config: Manifest, { manager, force, custom }: Applying): Manifest {
  const mine = live.metadata.managedFields?.find((entry) => entry.manager === manager && entry.operation === "Apply");
  const others = (live.metadata.managedFields ?? []).filter((entry) => entry !== mine);
  const wanted = fieldsOf(ownable(config), custom);
  if (!force) refuseConflicts(live, config, wanted, others, custom);
  const merged = mergeApplied(live, ownable(config), [], custom);
  const kept = others.reduce((all, entry) => union(all, entry.fieldsV1), wanted);
  const dropped = unwanted(mine?.fieldsV1 ?? {}, kept);
  return { ...removeFields(merged, dropped, [], custom), apiVersion: config.apiVersion };
}

/** What of `mine` is in nobody's set. What holds something that is kept is kept itself. */
function unwanted(mine: FieldSet, kept: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, inner] of Object.entries(mine)) {
    const other = kept[step];
    if (!other) {
      result[step] = inner;
      continue;
    }
    const { ".": _, ...below } = inner;
    const rest = unwanted(below, other);
    if (!isEmpty(rest)) result[step] = rest;
  }
  return result;
}

/** managedFields after an apply: these fields are the manager's; with force, what it changed is nobody else's any more. */
export function managedAfterApply(
  before: readonly ManagedFields[],
  live: KubeObject,
  config: Manifest,
  { manager, custom }: Applying,
  time: string,
): ManagedFields[] {
  const fields = fieldsOf(ownable(config), custom);
  const mine = before.find((entry) => entry.manager === manager && entry.operation === "Apply");
  const entry: ManagedFields = {
    manager,
    operation: "Apply",
    apiVersion: config.apiVersion,
    time: mine && isDeepStrictEqual(mine.fieldsV1, fields) && mine.time !== undefined ? mine.time : time,
    fieldsType: "FieldsV1",
    fieldsV1: fields,
  };
  const others = before.filter((other) => other !== mine).flatMap((other) => yielded(other, live, config, fields, custom));
  return [entry, ...others];
}

function yielded(other: ManagedFields, live: KubeObject, config: Manifest, fields: FieldSet, custom: boolean): ManagedFields[] {
  const lost = differing(intersection(fields, other.fieldsV1), live, config, custom).reduce<FieldSet>(
    (set, { steps }) =>
      union(
        set,
        steps.reduceRight<FieldSet>((inner, step) => ({ [step]: inner }), {}),
      ),
    {},
  );
  const left = difference(other.fieldsV1, lost);
  return isEmpty(left) ? [] : [{ ...other, fieldsV1: left }];
}

function differing(both: FieldSet, live: Loose, config: Loose, custom: boolean) {
  return leaves(both).filter(({ steps }) => {
    const [a, b] = [valueAt(live, steps, custom), valueAt(config, steps, custom)];
    // Whoever says nothing below a step both have is no enemy.
    return !isDeepStrictEqual(a, b) && !(isRecord(a) && isRecord(b));
  });
}

/** The words of k8s.io/apimachinery's NewConflictError. */
function refuseConflicts(
  live: KubeObject,
  config: Manifest,
  wanted: FieldSet,
  others: readonly ManagedFields[],
  custom: boolean,
): void {
  const found = others
    .map((entry) => ({ who: describe(entry), fields: differing(intersection(wanted, entry.fieldsV1), live, config, custom) }))
    .filter(({ fields }) => fields.length > 0)
    .sort((a, b) => (a.who < b.who ? -1 : 1));
  const causes = found.flatMap(({ who, fields }) =>
    fields.map(({ path }): Cause => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field: path })),
  );
  const [only] = causes;
  if (!only) return;
  const lists = found.flatMap(({ who, fields }) => [`conflicts with ${who}:`, ...fields.map(({ path }) => `- ${path}`)]);
  const text =
    causes.length === 1 ? `1 conflict: ${only.message}: ${only.field}` : `${causes.length} conflicts: ${lists.join("\n")}`;
  throw new ApiError(409, "Conflict", `Apply failed with ${text}`, { causes });
}

/** Appliers are known by their names alone. */
function describe({ manager, operation, apiVersion, subresource }: ManagedFields): string {
  const status = subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${status}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

function valueAt(value: Loose, steps: readonly string[], custom: boolean): Loose {
  let at = value;
  let path: string[] = [];
  for (const step of steps) {
    const part = partsOf(at, path, custom)?.find((candidate) => candidate.step === step);
    if (!part) return undefined;
    at = part.value;
    path = part.path;
  }
  return at;
}

function mergeApplied(live: Loose, config: Loose, path: readonly string[], custom: boolean): Loose {
  if (isRecord(config)) {
    const result: Record<string, Loose> = isRecord(live) ? { ...live } : {};
    for (const [key, value] of Object.entries(config)) {
      if (value !== null) result[key] = mergeApplied(result[key], value, [...path, key], custom);
    }
    return result;
  }
  if (!Array.isArray(config) || !Array.isArray(live)) return config;
  const type = listType(path, config, custom);
  if (type.is === "atomic") return config;
  if (type.is === "set") return [...live, ...config.filter((item) => !live.includes(item))];
  const key = (item: Loose) => itemKey(item, type.keys);
  const kept = live.map((item) => {
    const applied = config.find((other) => key(other) === key(item));
    return applied === undefined ? item : mergeApplied(item, applied, path, custom);
  });
  return [...kept, ...config.filter((item) => !live.some((other) => key(other) === key(item)))];
}

function removeFields(value: Loose, set: FieldSet, path: readonly string[], custom: boolean): Loose {
  if (isEmpty(set)) return value;
  const parts = partsOf(value, path, custom);
  if (!parts) return value;
  const kept = parts.flatMap((part) => {
    const drop = set[part.step];
    if (!drop) return [{ ...part }];
    if (isEmpty(drop) || "." in drop) return [];
    const left = removeFields(part.value, drop, part.path, custom);
    return isRecord(left) && Object.keys(left).length === 0 ? [] : [{ ...part, value: left }];
  });
  if (Array.isArray(value)) return kept.map((part) => part.value);
  return Object.fromEntries(kept.map((part) => [part.step.slice(2), part.value]));
}
