import type { Json } from "@talosmith/lib/json.ts";
import { stringify } from "yaml";
import type { Spec } from "./encode.ts";
import { type Field, fieldsFor, type Layout, type WireType } from "./layout.ts";

/** Prints a spec in YAML as Talos does: with all fields except empty optional ones. */
export function printSpec(of: Layout, spec: Spec, minor: number): string {
  return yamlOf(printed(of, spec, minor));
}

/** Go quotes text that an older YAML would read as a time or a boolean. */
export function yamlOf(value: unknown): string {
  return stringify(value, { indent: 4, lineWidth: 0, schema: "yaml-1.1" });
}

function printed(of: Layout, spec: Spec, minor: number): Record<string, Json> {
  const shown = fieldsFor(of, minor).flatMap((field): [string, Json][] => {
    const value = spec[field.name] ?? undefined;
    if (field.omitted && (isEmpty(value) || isAddress(field) || isFirst(field, value))) return [];
    return [[field.name, printedField(field, value, minor)]];
  });
  return Object.fromEntries(shown);
}

/** Go's address types have no exported fields, so that their YAML counts as empty. */
function isAddress({ kind, list }: Field): boolean {
  return !list && (kind === "ip" || kind === "prefix");
}

/** The name of the zero value counts as empty in Go. */
function isFirst({ kind }: Field, value: Json | undefined): boolean {
  return typeof kind === "object" && "names" in kind && kind.names[String(value)] === 0;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function printedField({ kind, list }: Field, value: Json | undefined, minor: number): Json {
  if (list) return ((value ?? []) as readonly Json[]).map((item) => printedValue(kind, item, minor));
  return printedValue(kind, value, minor);
}

function printedValue(kind: WireType, value: Json | undefined, minor: number): Json {
  if (typeof kind === "object") {
    if ("message" in kind) return printed(kind.message, (value ?? {}) as Spec, minor);
    if ("bits" in kind) return inOrder(kind.bits, String(value ?? ""));
    return value ?? Object.keys(kind.names).find((name) => kind.names[name] === 0) ?? "";
  }
  switch (kind) {
    case "bool":
      return value ?? false;
    case "number":
      return value ?? 0;
    case "map":
    case "struct":
      return value ?? {};
    case "args":
      return Object.fromEntries(Object.entries((value ?? {}) as Spec).map(([key, values]) => [key, { values: values as Json }]));
    case "pair":
    case "certificate":
    case "key":
      return value === undefined ? null : pem(kind, value as { crt?: string; key?: string });
    case "url":
      return value === undefined ? null : goUrl(String(value));
    default:
      return value ?? "";
  }
}

/** Flags are printed in the order of their bits, however they were set. */
function inOrder(places: Readonly<Record<string, number>>, flags: string): string {
  return flags
    .split(",")
    .sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
    .join(",");
}

function pem(kind: "pair" | "certificate" | "key", { crt = "", key = "" }: { crt?: string; key?: string }): Json {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  if (kind === "key") return { key: base64(key) };
  return kind === "certificate" ? { crt: base64(crt) } : { crt: base64(crt), key: base64(key) };
}

/** Go has no text format for URLs in YAML: it prints the struct's fields. */
function goUrl(text: string): Json {
  const { protocol, host, pathname } = new URL(text);
  const path = pathname === "/" && !text.endsWith("/") ? "" : pathname;
  const empty = { rawpath: "", omithost: false, forcequery: false, rawquery: "", fragment: "", rawfragment: "" };
  return { scheme: protocol.replace(":", ""), opaque: "", user: null, host, path, ...empty };
}
