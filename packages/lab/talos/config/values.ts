import type { Json } from "@talosmith/lib/json.ts";

export type Fields = { readonly [key: string]: Json };

/** One YAML document of a config; `v1alpha1` is the one with machine and cluster. */
export interface ConfigDocument {
  kind: string;
  name: string;
  fields: Fields;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path: "machine.install.disk". */
export function at(fields: Json | undefined, path: string): Json | undefined {
  let value = fields;
  for (const key of path.split(".")) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A scalar as text; "" for other values. */
export function word(value: Json | undefined): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value differs from Go's zero value. */
export function filled(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** Whether any field of a struct is set. */
export function someSet(value: Json | undefined): boolean {
  const set = (inner: Json) =>
    isFields(inner)
      ? someSet(inner)
      : inner !== "" && inner !== null && inner !== 0 && !(Array.isArray(inner) && inner.length === 0);
  return isFields(value) && Object.values(value).some(set);
}

export function mainOf(documents: readonly ConfigDocument[]): Fields | undefined {
  return documents.find((document) => document.kind === "v1alpha1")?.fields;
}

export function documentsOf(documents: readonly ConfigDocument[], kind: string): ConfigDocument[] {
  return documents.filter((document) => document.kind === kind);
}

/** The fields of the only document of a kind. */
export function only(documents: readonly ConfigDocument[], kind: string): Fields | undefined {
  return documents.find((document) => document.kind === kind)?.fields;
}

/** Quotes text as Go does. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Joins problems as Go's multierror does. */
export function together(problems: readonly string[]): string {
  const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
  return `${count} occurred:\n\t* ${problems.join("\n\t* ")}\n\n`;
}
