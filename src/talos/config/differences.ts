import type { Json } from "@talosmith/lib/json.ts";
import type { Field } from "../../engine/step.ts";
import { type ConfigDocument, documentKey, documentTitle, isList, isObject, isOriginal, type JsonObject } from "./document.ts";
import { meaning } from "./meaning.ts";
import { parseConfig } from "./parse.ts";
import { isSecretPath } from "./secret-paths.ts";

/** Where two machine configs mean something different, field by field; how they are written never counts. */
export function configDifferences(wanted: string, actual: string): Field[] {
  // The usual case by far: a node gives back the bytes it was sent.
  if (wanted === actual) return [];
  const [to, from] = [byKey(parseConfig(wanted)), byKey(parseConfig(actual))];
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
  // A document can say something by being there.
  return [{ path: title, from: from ? "present" : null, to: to ? "present" : null }];
}

/** What names a document is in the title. */
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

/** Goes down to plain and empty values: a whole part is never shown, since something in it may be secret. */
function valueDifferences(from: Json | undefined, to: Json | undefined, path: Path): Difference[] {
  const parts = partNames(from, to);
  if (parts !== undefined) return parts.flatMap((part) => valueDifferences(at(from, part), at(to, part), [...path, part]));
  // The two are of different shapes: all of the one goes, all of the other comes.
  if (isFilled(from) || isFilled(to))
    return [...valueDifferences(from, undefined, path), ...valueDifferences(undefined, to, path)];
  if (isPart(from) && isPart(to) && isList(from) === isList(to)) return [];
  return isSamePlain(from ?? null, to ?? null) ? [] : [{ path, from: from ?? null, to: to ?? null }];
}

/** What to go through when both are of one shape, or one of them is absent, and there is something to go through. */
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

/** Quotes around a number do not matter: Talos knows what it expects there. */
function isSamePlain(from: Json, to: Json): boolean {
  return from === to || (from !== null && to !== null && !isPart(from) && !isPart(to) && String(from) === String(to));
}

/** A difference as a person may see it: in a secret place, that there is one. */
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
