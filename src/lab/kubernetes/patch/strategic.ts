import type { Loose } from "../objects.ts";
import { mergeKey, mergesAsSet } from "./list-keys.ts";
import { isRecord } from "./merge.ts";

const ORDER = "$setElementOrder/";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
const RETAIN_KEYS = "$retainKeys";

/** Kubernetes' own patch: lists of things with names are merged item by item. */
export function strategicMerge(target: Loose, patch: Loose, path: readonly string[] = []): Loose {
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
      const merged = mergeField(result[key], value, [...path, key], patch[`${ORDER}${key}`]);
      if (merged === undefined) delete result[key];
      else result[key] = merged;
    }
  }
  return result;
}

function mergeField(target: Loose, value: Loose, path: readonly string[], order: Loose): Loose {
  if (!Array.isArray(value)) return strategicMerge(target, value, path);
  const old: Loose[] = Array.isArray(target) ? target : [];
  if (mergesAsSet(path)) return [...old, ...value.filter((item) => !old.includes(item))];
  const key = mergeKey(path);
  if (key === undefined || !value.every(isRecord)) return value;
  return ordered(mergeItems(old, value, key, path), order, key);
}

function mergeItems(old: Loose[], patches: Loose[], key: string, path: readonly string[]): Loose[] {
  if (patches.some((item) => item.$patch === "replace")) return patches.filter((item) => item.$patch !== "replace");
  let items = [...old];
  for (const patch of patches) {
    const at = items.findIndex((item) => item?.[key] === patch[key]);
    if (patch.$patch === "delete") items = items.filter((item) => item?.[key] !== patch[key]);
    else if (at < 0) items.push(strategicMerge({}, patch, path));
    else items[at] = strategicMerge(items[at], patch, path);
  }
  return items;
}

function ordered(items: Loose[], order: Loose, key: string): Loose[] {
  if (!Array.isArray(order)) return items;
  const places = order.map((entry) => entry?.[key]);
  const rank = (item: Loose) => {
    const place = places.indexOf(item?.[key]);
    return place < 0 ? places.length : place;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}

function without(record: Record<string, Loose>, key: string): Record<string, Loose> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
