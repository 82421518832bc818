import type { Loose } from "../objects.ts";
import { itemOf, memberOf, type Schema } from "../schema/schema.ts";
import { isRecord } from "./merge.ts";

const ORDER = "$setElementOrder/";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
const RETAIN_KEYS = "$retainKeys";

/** Kubernetes's own patch: lists of named items are merged item by item. */
export function strategicMerge(target: Loose, patch: Loose, schema: Schema): Loose {
  if (!isRecord(patch)) return patch;
  if (patch.$patch === "replace") return without(patch, "$patch");
  if (patch.$patch === "delete") return undefined;
  let result: Record<string, Loose> = isRecord(target) ? { ...target } : {};
  const retained: string[] | undefined = patch[RETAIN_KEYS];
  if (retained) result = Object.fromEntries(Object.entries(result).filter(([key]) => retained.includes(key)));
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(ORDER)) continue;
    if (key.startsWith(DELETE_FROM_LIST)) {
      const name = key.slice(DELETE_FROM_LIST.length);
      result[name] = (result[name] ?? []).filter((item: Loose) => !value.includes(item));
    } else if (value === null) {
      delete result[key];
    } else {
      const merged = mergeField(result[key], value, memberOf(schema, key), patch[`${ORDER}${key}`]);
      if (merged === undefined) delete result[key];
      else result[key] = merged;
    }
  }
  // A patch may change only the order.
  for (const [key, order] of Object.entries(patch)) {
    const name = key.slice(ORDER.length);
    if (!key.startsWith(ORDER) || name in patch || !Array.isArray(result[name])) continue;
    result[name] = ordered(result[name], order, result[name], patchKey(memberOf(schema, name)) ?? "");
  }
  return result;
}

function patchKey(schema: Schema): string | undefined {
  return schema.is === "list" ? schema.patch : undefined;
}

function mergeField(target: Loose, value: Loose, schema: Schema, order: Loose): Loose {
  if (!Array.isArray(value)) return strategicMerge(target, value, schema);
  const old: Loose[] = Array.isArray(target) ? target : [];
  const key = patchKey(schema);
  if (key === undefined) return value;
  if (key === "") return ordered([...old, ...value.filter((item) => !old.includes(item))], order ?? value, old, key);
  if (!value.every(isRecord)) return value;
  return ordered(mergeItems(old, value, key, itemOf(schema)), order ?? value, old, key);
}

function mergeItems(old: Loose[], patches: Loose[], key: string, schema: Schema): Loose[] {
  if (patches.some((item) => item.$patch === "replace")) return patches.filter((item) => item.$patch !== "replace");
  let items = [...old];
  for (const patch of patches) {
    const at = items.findIndex((item) => item?.[key] === patch[key]);
    if (patch.$patch === "delete") items = items.filter((item) => item?.[key] !== patch[key]);
    else if (at < 0) items.push(strategicMerge({}, patch, schema));
    else items[at] = strategicMerge(items[at], patch, schema);
  }
  return items;
}

/** Orders items: patched ones in the patch's order, others where they were; a new item without a predecessor comes first. */
function ordered(items: Loose[], patch: readonly Loose[], old: readonly Loose[], key: string): Loose[] {
  const of = (item: Loose) => (key === "" ? item : item?.[key]);
  const [wanted, before] = [patch.map(of), old.map(of)];
  const named = items.filter((item) => wanted.includes(of(item))).sort((a, b) => wanted.indexOf(of(a)) - wanted.indexOf(of(b)));
  const others = items.filter((item) => !wanted.includes(of(item)));
  const result: Loose[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [before.indexOf(of(others[0])), before.indexOf(of(named[0]))];
    result.push(left >= 0 && right >= 0 && left < right ? others.shift() : named.shift());
  }
  return [...result, ...others, ...named];
}

function without(record: Record<string, Loose>, key: string): Record<string, Loose> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
