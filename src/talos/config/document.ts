import type { Json } from "@talosmith/lib/json.ts";

/** One document of a machine config. The first one, which has neither apiVersion nor kind, is Talos' original format. */
export type ConfigDocument = JsonObject;

export type JsonObject = { readonly [key: string]: Json };

/** The key of a document within a config, which pairs documents of a patch with those of a base. */
export function documentKey(document: ConfigDocument): string {
  return isOriginal(document) ? "v1alpha1" : [document.apiVersion, document.kind, document.name].map(word).join("/");
}

/** The title of a document: "HostnameConfig", "LinkConfig net0", and empty for the original document. */
export function documentTitle(document: ConfigDocument): string {
  if (isOriginal(document)) return "";
  return [document.kind, document.name]
    .map(word)
    .filter((part) => part !== "")
    .join(" ");
}

/** The value as text; a user's patch may have any type here. */
function word(value: Json | undefined): string {
  return value === undefined || value === null || isObject(value) || isList(value) ? "" : String(value);
}

export function isOriginal(document: ConfigDocument): boolean {
  return document.kind === undefined && document.apiVersion === undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
