import { userError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { withoutDeleted } from "./delete-values.ts";
import { type ConfigDocument, documentKey, documentTitle, isObject, isOriginal, type JsonObject } from "./document.ts";
import { takenAsItIs } from "./merge-rules.ts";
import { mergeObjects } from "./merge-values.ts";
import { type Deletion, takeApart } from "./patch-deletes.ts";

/** A patch laid over a config by Talos' rules of strategic merge. Documents that the config does not have are appended. */
export function mergeDocuments(base: readonly ConfigDocument[], patch: readonly ConfigDocument[]): ConfigDocument[] {
  const merged = new Map(base.map((document) => [documentKey(document), document]));
  const seen = new Set<string>();
  for (const document of patch) {
    const key = documentKey(document);
    const { deletions, rest } = takeApart(document);
    for (const deletion of deletions) applyDeletion(merged, key, document, deletion);
    if (rest === undefined) continue;
    if (seen.has(key)) throw twice(document);
    seen.add(key);
    const left = merged.get(key);
    merged.set(key, left === undefined ? rest : mergeDocument(left, rest));
  }
  return [...merged.values()];
}

function applyDeletion(merged: Map<string, ConfigDocument>, key: string, document: ConfigDocument, deletion: Deletion): void {
  const left = merged.get(key);
  if (left === undefined) {
    throw userError("PATCH_DELETE", {
      message: `Unable to delete ${documentTitle(document) || "from the main document"}: the config has no such document`,
      hint: "remove it from the patch, or correct its kind and name",
    });
  }
  if (deletion.path.length === 0) merged.delete(key);
  else merged.set(key, withoutDeleted(left, deletion));
}

function mergeDocument(left: ConfigDocument, right: ConfigDocument): ConfigDocument {
  const kind = isOriginal(left) ? "v1alpha1" : String(left.kind);
  let merged = mergeObjects(left, right, [kind]);
  for (const path of takenAsItIs(kind)) merged = withValue(merged, path, valueAt(right, path));
  return merged;
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** Only changes what is there: a value to set has been merged in already. */
function withValue(object: JsonObject, [key = "", ...path]: readonly string[], value: Json | undefined): JsonObject {
  const inner = object[key];
  if (inner === undefined) return object;
  if (path.length > 0) return isObject(inner) ? { ...object, [key]: withValue(inner, path, value) } : object;
  if (value !== undefined) return { ...object, [key]: value };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function twice(document: ConfigDocument) {
  return userError("PATCH_TWICE", {
    message: `Unable to merge a patch that has ${documentTitle(document) || "the main document"} twice`,
    hint: "join the two into one document",
  });
}
