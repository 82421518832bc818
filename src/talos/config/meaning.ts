import type { Json } from "@talosmith/lib/json.ts";
import { type ConfigDocument, isList, isObject, isOriginal, type JsonObject } from "./document.ts";
import { type Field, fieldsOf, inside } from "./fields/field.ts";
import { MINORS, ORIGINAL } from "./fields/kinds.ts";

const NEWEST = MINORS[MINORS.length - 1] ?? "1.14";

/**
 * The document without values that have no meaning, which Talos drops when it writes a config: null, empty texts and lists, and empty objects where
 * Talos cannot distinguish them from absent ones. An empty `tpm: {}` does have a meaning.
 */
export function meaning(document: ConfigDocument): ConfigDocument {
  return keptIn(document, fieldsOf(isOriginal(document) ? ORIGINAL : String(document.kind), NEWEST));
}

function meaningOf(value: Json, field: Field | undefined, named: boolean): Json | undefined {
  if (value === null) return undefined;
  if (isHandedOn(field)) return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
  // A label may be empty and still be a label.
  if (value === "") return named ? value : undefined;
  if (isList(value)) return value.length === 0 ? undefined : value.map((item) => meaningOf(item, element(field), false) ?? null);
  if (!isObject(value)) return value;
  const kept = keptIn(value, field);
  return Object.keys(kept).length === 0 && saysNothingEmpty(field) ? undefined : kept;
}

function keptIn(object: JsonObject, field: Field | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const result = meaningOf(value, field && inside(field, key), field?.is === "map");
      return result === undefined ? [] : [[key, result] as const];
    }),
  );
}

function element(field: Field | undefined): Field | undefined {
  return field?.is === "list" ? field.of : field;
}

/** Whether Talos passes the field on without interpreting it, so that even empty values may matter. */
function isHandedOn(field: Field | undefined): boolean {
  if (field?.is === "map") return isHandedOn(field.of);
  return field?.is === "plain" && field.word === "free";
}

/** Contract v1.12 always writes `machine.network`, although Talos could do without. */
function saysNothingEmpty(field: Field | undefined): boolean {
  if (field === undefined || field.is === "plain") return false;
  return !field.pointer || field === NETWORK;
}

const NETWORK = ["machine", "network"].reduce<Field | undefined>(
  (field, key) => field && inside(field, key),
  fieldsOf(ORIGINAL, NEWEST),
);
