import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../api/status.ts";
import type { Loose } from "../objects.ts";
import { isRecord } from "./merge.ts";

interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: Loose;
}

/** RFC 6902. */
export function jsonPatch(target: Loose, operations: readonly Operation[]): Loose {
  return operations.reduce(applyOne, structuredClone(target));
}

function applyOne(document: Loose, { op, path, from = "", value }: Operation): Loose {
  switch (op) {
    case "add":
      return insert(document, pointer(path), structuredClone(value));
    case "replace":
      find(document, pointer(path), op, path);
      return pointer(path).length === 0 ? value : insert(take(document, pointer(path)), pointer(path), structuredClone(value));
    case "remove":
      find(document, pointer(path), op, path);
      return take(document, pointer(path));
    case "move": {
      const moved = find(document, pointer(from), op, from);
      return insert(take(document, pointer(from)), pointer(path), moved);
    }
    case "copy":
      return insert(document, pointer(path), structuredClone(find(document, pointer(from), op, from)));
    case "test":
      if (isDeepStrictEqual(find(document, pointer(path), op, path), value)) return document;
      throw refused(`testing path ${path} failed`);
    default:
      throw refused(`unexpected kind: ${op}`);
  }
}

function pointer(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function find(document: Loose, path: readonly string[], op: string, text: string): Loose {
  let at = document;
  for (const part of path) {
    const there = Array.isArray(at) ? Number(part) in at : isRecord(at) && Object.hasOwn(at, part);
    if (!there) throw refused(`${op} operation does not apply: doc is missing path: ${JSON.stringify(text)}: missing value`);
    at = at[part];
  }
  return at;
}

function parentOf(document: Loose, path: readonly string[]): Loose {
  return find(document, path.slice(0, -1), "add", `/${path.join("/")}`);
}

function insert(document: Loose, path: readonly string[], value: Loose): Loose {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = parentOf(document, path);
  if (!Array.isArray(parent)) parent[last] = value;
  else parent.splice(last === "-" ? parent.length : Number(last), 0, value);
  return document;
}

function take(document: Loose, path: readonly string[]): Loose {
  const last = path.at(-1);
  if (last === undefined) return null;
  const parent = parentOf(document, path);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return document;
}

function refused(why: string): ApiError {
  return new ApiError(422, "Invalid", `the server rejected our request due to an error in our request: ${why}`, {});
}
