import { printUnknown, type Unknown } from "./print-unknown.ts";
import type { RawValue } from "./raw.ts";
import { kindOf, type Schema, withoutPointer } from "./schema.ts";

/** The error "unknown keys found during decoding", or why the value cannot be checked; undefined when all keys are known. */
export function unknownKeysProblem(schema: Schema, type: string, value: RawValue, minor: number): string | undefined {
  const found = look(schema, type, value, minor);
  if (typeof found === "string") return found;
  return found && `unknown keys found during decoding:\n${printUnknown(found)}`;
}

/** The unknown parts of a value; a text describes a value of the wrong type. */
function look(schema: Schema, type: string, value: RawValue, minor: number): Unknown | string | undefined {
  const bare = withoutPointer(type);
  const kind = kindOf(schema, bare);
  if (kind.is === "any" || value.is === "scalar") return undefined;
  const readsItself = minor > 12 && schema.shapes.get(bare)?.custom === "yaml";
  if (value.is === "list") {
    if (kind.is !== "list") return readsItself ? undefined : `unexpected type for yaml sequence: ${bare}`;
    const found = value.items.map((item) => look(schema, kind.of, item, minor)).filter((one) => one !== undefined);
    const wrong = found.find((one) => typeof one === "string");
    if (wrong !== undefined) return wrong;
    return found.length === 0 ? undefined : { is: "list", items: found as Unknown[] };
  }
  if (kind.is !== "map" && kind.is !== "struct") return readsItself ? undefined : `unexpected type for yaml mapping: ${bare}`;
  const left: { key: string; value: Unknown }[] = [];
  for (const { key, value: inner } of value.entries) {
    const next = kind.is === "map" ? kind.of : kind.shape.keys.get(key);
    const found = next === undefined ? inner : look(schema, next, inner, minor);
    if (typeof found === "string") return found;
    if (found) left.push({ key, value: found });
  }
  // Go prints maps sorted.
  left.sort((a, b) => (a.key < b.key ? -1 : 1));
  return left.length === 0 ? undefined : { is: "map", entries: left };
}

/** From 1.14 on: nulls in lists or maps of pointers. */
export function nullProblems(schema: Schema, type: string, value: RawValue, path = ""): string[] {
  const kind = kindOf(schema, withoutPointer(type));
  if (value.is === "list" && kind.is === "list") {
    return value.items.flatMap((item, index) => elementProblems(schema, kind.of, item, `${path}[${index}]`));
  }
  if (value.is !== "map" || (kind.is !== "map" && kind.is !== "struct")) return [];
  return value.entries.flatMap(({ key, value: inner }) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (kind.is === "map") return elementProblems(schema, kind.of, inner, at);
    const next = kind.shape.keys.get(key);
    return next === undefined ? [] : nullProblems(schema, next, inner, at);
  });
}

function elementProblems(schema: Schema, type: string, value: RawValue, path: string): string[] {
  if (type.startsWith("*") && value.is === "scalar" && value.tag === "!!null") {
    return [`null value is not allowed at "${path}" (line ${value.line})`];
  }
  return nullProblems(schema, type, value, path);
}
