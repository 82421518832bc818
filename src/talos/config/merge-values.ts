import { isDeepStrictEqual } from "node:util";
import type { Json } from "@talosmith/lib/json.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { isList, isObject, type JsonObject } from "./document.ts";
import type { Field, List, Plain, Section } from "./fields/field.ts";
import { isAlwaysSet, isPlainValue, pemKeys, saysNothing } from "./fields/words.ts";
import { mergeUrls } from "./merge-urls.ts";
import { Refusal } from "./refusal.ts";

const FREE: Plain = { is: "plain", word: "free", pointer: false, replaced: false };

/** Merges a patch's value into a config's: objects by key, lists by appending, other values by replacement unless the patch's is empty. */
export function mergeValues(left: Json | undefined, right: Json | undefined, field: Field, path: Path): Json | undefined {
  if (right === undefined || right === null) return withoutRight(left, right, field, path);
  if (left === undefined || left === null)
    return field.is === "list" && isList(right) ? mergeLists([], right, field, path) : right;
  if (field.replaced) return isObject(right) && Object.keys(right).length === 0 ? left : right;
  if (field.is === "plain") return mergePlain(left, right, field, path);
  if (field.is === "list") {
    if (isList(left) && isList(right)) return mergeLists(left, right, field, path);
  } else if (isObject(left) && isObject(right)) {
    return field.is === "object" ? mergeSections(left, right, field, path) : mergeMaps(left, right, field.of, path);
  }
  throw otherShape(left, right, path);
}

export function mergeSections(left: JsonObject, right: JsonObject, section: Section, path: Path): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const key of new Set([...Object.keys(right), ...alwaysMerged(section)])) {
    const result = mergeValues(left[key], right[key], section.keys.get(key) ?? FREE, [...path, key]);
    if (result !== undefined) merged[key] = result;
    else delete merged[key];
  }
  return merged;
}

function mergeMaps(left: JsonObject, right: JsonObject, of: Field, path: Path): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) merged[key] = mergeValues(left[key], value, of, [...path, key]) ?? null;
  return merged;
}

/** The merge with a null in the patch, which changes nothing except for a few types. */
function withoutRight(left: Json | undefined, right: null | undefined, field: Field, path: Path): Json | undefined {
  if (left === undefined || left === null) return right ?? left;
  if (field.is === "plain" && field.word === "free" && right === null) {
    const says = { unableTo: `merge ${path.join(".")}`, why: "the patch has no value there, but the config has one" };
    throw new Refusal("PATCH_SHAPE", { path, ...says, hint: "write a value, or { $patch: delete } to delete the config's" });
  }
  if (field.is === "plain" && isAlwaysSet(field)) return undefined;
  if (field.is === "object" && !field.pointer && isObject(left) && alwaysMerged(field).length > 0)
    return mergeSections(left, {}, field, path);
  return left;
}

function mergePlain(left: Json, right: Json, field: Plain, path: Path): Json {
  if (field.word === "free") return mergeFree(left, right, path);
  if (field.word === "argument" || pemKeys(field) !== undefined) return right;
  if (field.word === "size condition") {
    const says = { unableTo: `merge ${path.join(".")}`, why: "Talos cannot replace a size of a disk selector" };
    throw new Refusal("PATCH_SHAPE", { path, ...says, hint: "delete the selector in one patch and write it again in the next" });
  }
  if (!isPlainValue(left) || !isPlainValue(right)) throw otherShape(left, right, path);
  if (saysNothing(field, right)) return left;
  return field.word === "url" ? mergeUrls(String(left), String(right), path) : right;
}

/** Merges values that Talos does not interpret; texts and numbers keep their type. */
function mergeFree(left: Json, right: Json, path: Path): Json {
  if (isObject(left) && isObject(right)) return mergeMaps(left, right, FREE, path);
  if (isList(left) && isList(right)) return [...left, ...right];
  if (shape(left) !== shape(right)) throw otherShape(left, right, path);
  return isPlainValue(right) && saysNothing(FREE, right) ? left : right;
}

function mergeLists(left: readonly Json[], right: readonly Json[], list: List, path: Path): readonly Json[] {
  const merged = [...left];
  for (const [index, element] of right.entries()) {
    const among = list.replacedBy === undefined ? merged : left;
    const at = isObject(element) ? sameElement(among, element, list) : -1;
    const existing = merged[at];
    if (existing === undefined || !isObject(existing) || !isObject(element) || list.of.is !== "object") merged.push(element);
    else merged[at] = list.replacedBy === undefined ? mergeSections(existing, element, list.of, [...path, index]) : element;
  }
  return merged;
}

function sameElement(list: readonly Json[], element: JsonObject, { mergedBy, replacedBy, of }: List): number {
  if (replacedBy !== undefined) return list.findLastIndex((other) => isObject(other) && sameAt(replacedBy, other, element));
  // With several keys the first one that is set counts; a single one may also be empty in both.
  const key = mergedBy.length > 1 ? mergedBy.find((name) => !isEmpty(element[name])) : mergedBy[0];
  if (key === undefined || holdsPointer(element[key], of.is === "object" ? of.keys.get(key) : undefined)) return -1;
  return list.findIndex((other) => isObject(other) && sameAt(key, other, element));
}

function sameAt(key: string, a: JsonObject, b: JsonObject): boolean {
  return isDeepStrictEqual(a[key], b[key]) || (isEmpty(a[key]) && isEmpty(b[key]));
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === 0;
}

/** Talos compares the objects themselves, and two pointers are never the same. */
function holdsPointer(value: Json | undefined, field: Field | undefined): boolean {
  if (field?.is !== "object" || !isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => inner !== null && field.keys.get(key)?.pointer === true);
}

const alwaysMergedOf = new WeakMap<Section, readonly string[]>();

/** Keys of a section that a patch changes even when it does not have them. */
function alwaysMerged(section: Section): readonly string[] {
  let keys = alwaysMergedOf.get(section);
  if (keys === undefined) {
    keys = [...section.keys].filter(([, field]) => isAlwaysMerged(field)).map(([key]) => key);
    alwaysMergedOf.set(section, keys);
  }
  return keys;
}

function isAlwaysMerged(field: Field): boolean {
  if (field.is === "plain") return isAlwaysSet(field);
  return field.is === "object" && !field.pointer && alwaysMerged(field).length > 0;
}

function otherShape(left: Json, right: Json, path: Path): Refusal {
  return new Refusal("PATCH_SHAPE", {
    path,
    unableTo: `merge ${path.join(".")}`,
    why: `it is ${shape(left)} in the config and ${shape(right)} in the patch`,
    hint: `write ${path.at(-1)} as ${shape(left)} in the patch`,
  });
}

function shape(value: Json): string {
  if (isList(value)) return "a list";
  if (isObject(value)) return "a section of keys";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a fraction";
  return typeof value === "boolean" ? "true or false" : "text";
}
