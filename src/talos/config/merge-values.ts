import { isDeepStrictEqual } from "node:util";
import { userError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { isList, isObject, type JsonObject } from "./document.ts";
import { hasZero, isReplaced, mergedBy, replacedBy, zeroWord } from "./merge-rules.ts";

/** A patch's value laid over a base's: objects by key, lists one behind the other, the rest replaced unless it says nothing. */
export function mergeValues(left: Json | undefined, right: Json | undefined, path: readonly string[]): Json | undefined {
  if (left === undefined || left === null) return right === undefined ? left : right;
  if (right === undefined || right === null) return left;
  if (isReplaced(path)) return isObject(right) && Object.keys(right).length === 0 ? left : right;
  if (isObject(left) && isObject(right)) return mergeObjects(left, right, path);
  if (isList(left) && isList(right)) return mergeLists(left, right, path);
  if (isPlain(left) && isPlain(right)) return saysNothing(right, path) ? left : right;
  throw userError("PATCH_SHAPE", {
    message: `Unable to merge a patch: ${path.slice(1).join(".")} is ${shape(left)} in the config and ${shape(right)} in the patch`,
    hint: `write ${path.at(-1)} as ${shape(left)} in the patch`,
  });
}

export function mergeObjects(left: JsonObject, right: JsonObject, path: readonly string[]): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const result = mergeValues(left[key], value, [...path, key]);
    if (result !== undefined) merged[key] = result;
  }
  return merged;
}

function mergeLists(left: readonly Json[], right: readonly Json[], path: readonly string[]): readonly Json[] {
  const merged = [...left];
  for (const element of right) {
    const at = isObject(element) ? sameElement(merged, element, path) : -1;
    const existing = merged[at];
    if (existing === undefined || !isObject(existing) || !isObject(element)) merged.push(element);
    else merged[at] = replacedBy(path) === undefined ? mergeObjects(existing, element, path) : element;
  }
  return merged;
}

function sameElement(list: readonly Json[], element: JsonObject, path: readonly string[]): number {
  const by = replacedBy(path);
  const keys = by === undefined ? mergedBy(path) : [by];
  const key = keys?.find((name) => element[name] !== undefined && element[name] !== null && element[name] !== "");
  if (key === undefined) return -1;
  return list.findIndex((other) => isObject(other) && isDeepStrictEqual(other[key], element[key]));
}

/** Talos cannot tell a text or a number that is empty from one that is absent, except where it keeps a pointer to it. */
function saysNothing(right: string | number | boolean, path: readonly string[]): boolean {
  return right === "" || (right === 0 && !hasZero(path)) || (right !== undefined && right === zeroWord(path));
}

function isPlain(value: Json): value is string | number | boolean {
  return !isList(value) && !isObject(value) && value !== null;
}

function shape(value: Json): string {
  if (isList(value)) return "a list";
  return isObject(value) ? "an object" : "a plain value";
}
