import type { Loose } from "../objects.ts";
import { itemKey } from "../patch/fields.ts";
import { isRecord } from "../patch/merge.ts";
import type { Schema } from "./schema.ts";

/** Why server-side apply refuses an object of this type, with the messages of structured-merge-diff. */
export function typeProblems(value: Loose, schema: Schema, path = ""): string[] {
  if (value === null || value === undefined) return [];
  const at = path === "" ? "" : `${path}: `;
  switch (schema.is) {
    case "any":
      return [];
    case "struct":
      if (!isRecord(value)) return [`${at}expected map, got ${shown(value)}`];
      return Object.entries(value).flatMap(([key, member]) => {
        const field = schema.field(key);
        if (!field) return schema.open ? [] : [`${path}.${key}: field not declared in schema`];
        return typeProblems(member, field.schema, `${path}.${key}`);
      });
    case "map":
      if (!isRecord(value)) return [`${at}expected map, got ${shown(value)}`];
      return Object.entries(value).flatMap(([key, member]) => typeProblems(member, schema.of, `${path}.${key}`));
    case "list":
      return Array.isArray(value) ? listProblems(value, schema, path) : [`${at}expected list, got ${shown(value)}`];
    case "int32":
    case "int64":
    case "number":
      return typeof value === "number" ? [] : [`${at}expected numeric (int or float), got ${goType(value)}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${at}expected boolean, got ${shown(value)}`];
    case "string":
    case "bytes":
    case "time":
      return typeof value === "string" ? [] : [`${at}expected string, got ${shown(value)}`];
    default:
      return typeof value === "object" ? [`${at}expected any scalar, got ${shown(value)}`] : [];
  }
}

function listProblems(items: Loose[], schema: Extract<Schema, { is: "list" }>, path: string): string[] {
  const { by } = schema;
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (by === "atomic") return typeProblems(item, schema.of, `${path}[${index}]`);
    const step = by === "set" ? `[=${JSON.stringify(item)}]` : isRecord(item) ? keyText(itemKey(item, schema)) : `[${index}]`;
    const twice = seen.has(step) ? [`${path}: duplicate entries for key ${step}`] : [];
    seen.add(step);
    const missing = by !== "set" && isRecord(item) && by.every((key) => item[key] === undefined) ? by[0] : undefined;
    if (missing !== undefined) {
      const why = `associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`;
      return [`${path}: element ${index}: ${why}`];
    }
    return [...twice, ...typeProblems(item, schema.of, `${path}${step}`)];
  });
}

function keyText(key: string): string {
  const parts = Object.entries(JSON.parse(key) as Record<string, unknown>).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return `[${parts.join(",")}]`;
}

function goType(value: Loose): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

function shown(value: Loose): string {
  return `&{${typeof value === "string" ? value : JSON.stringify(value)}}`;
}
