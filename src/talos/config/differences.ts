import type { Json } from "@talosmith/lib/json.ts";
import type { Field } from "../../engine/step.ts";
import { type ConfigDocument, documentKey, documentTitle, isList, isObject, isOriginal, type JsonObject } from "./document.ts";
import type { MachineConfig } from "./machine-config.ts";
import { meaning } from "./meaning.ts";
import { isSecretPath } from "./secret-paths.ts";

/** The fields in which two machine configs differ in meaning, not in notation. */
export function configDifferences(wanted: MachineConfig, actual: MachineConfig): Field[] {
  // The usual case: a node returns the bytes it was sent.
  if (wanted.text === actual.text) return [];
  const [to, from] = [byKey(wanted.documents), byKey(actual.documents)];
  return [...new Set([...to.keys(), ...from.keys()])].flatMap((key) => documentDifferences(from.get(key), to.get(key)));
}

function byKey(documents: readonly ConfigDocument[]): Map<string, ConfigDocument> {
  return new Map(documents.map((document) => [documentKey(document), meaning(document)]));
}

function documentDifferences(from: ConfigDocument | undefined, to: ConfigDocument | undefined): Field[] {
  const either = to ?? from ?? {};
  const title = documentTitle(either);
  const show = shownBelow(title, String(either.kind ?? ""));
  const fields = valueDifferences(from ? body(from) : {}, to ? body(to) : {}, []).map(show);
  if (fields.length > 0 || (from && to)) return fields;
  // The presence of a document can be significant.
  return [{ path: title, from: from ? "present" : null, to: to ? "present" : null }];
}

/** The document without its naming keys, which are in the title. */
function body(document: ConfigDocument): ConfigDocument {
  if (isOriginal(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => !["apiVersion", "kind", "name"].includes(key)));
}

type Path = readonly (string | number)[];

interface Difference {
  path: Path;
  from: Json;
  to: Json;
}

/** Descends to plain and empty values: a whole section is never shown, since it may contain secrets. */
function valueDifferences(from: Json | undefined, to: Json | undefined, path: Path): Difference[] {
  const parts = partNames(from, to);
  if (parts !== undefined) return parts.flatMap((part) => valueDifferences(at(from, part), at(to, part), [...path, part]));
  // Of different types: all old values are removed, and all new ones added.
  if (isFilled(from) || isFilled(to))
    return [...valueDifferences(from, undefined, path), ...valueDifferences(undefined, to, path)];
  if (isPart(from) && isPart(to) && isList(from) === isList(to)) return [];
  return isSamePlain(from ?? null, to ?? null) ? [] : [{ path, from: from ?? null, to: to ?? null }];
}

/** The keys or indexes to compare when both values have the same type or one is absent; undefined when there are none. */
function partNames(from: Json | undefined, to: Json | undefined): (string | number)[] | undefined {
  if (!isFilled(from) && !isFilled(to)) return undefined;
  const there = [from, to].filter((value) => value !== undefined && value !== null);
  if (there.every(isObject)) return [...new Set(there.flatMap((value) => Object.keys(value)))];
  if (there.every(isList)) return Array.from({ length: Math.max(...there.map((value) => value.length)) }, (_, index) => index);
  return undefined;
}

function at(value: Json | undefined, part: string | number): Json | undefined {
  if (isList(value)) return value[Number(part)];
  return isObject(value) ? value[part] : undefined;
}

function isPart(value: Json | undefined): value is JsonObject | readonly Json[] {
  return isObject(value) || isList(value);
}

function isFilled(value: Json | undefined): boolean {
  return isPart(value) && Object.keys(value).length > 0;
}

/** Whether two plain values are equal; quotes around a number do not matter, because Talos knows the type of the field. */
function isSamePlain(from: Json, to: Json): boolean {
  return from === to || (from !== null && to !== null && !isPart(from) && !isPart(to) && String(from) === String(to));
}

/** The difference for display; for a secret only that there is one. */
function shownBelow(title: string, kind: string): (difference: Difference) => Field {
  return ({ path, from, to }) => {
    const keys = path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
    const name = [title, keys].filter((part) => part !== "").join(" ");
    const secret = isSecretPath(
      path.filter((part) => typeof part === "string"),
      kind,
    );
    return secret ? { path: name, from: null, to: null, secret } : { path: name, from, to };
  };
}
