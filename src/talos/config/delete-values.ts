import { userError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { type ConfigDocument, documentTitle, isList, isObject, isOriginal, type JsonObject } from "./document.ts";
import { isAlwaysThere, isFreeName } from "./merge-rules.ts";
import type { Deletion } from "./patch-deletes.ts";

/** The document without what a patch deletes inside it. */
export function withoutDeleted(document: ConfigDocument, deletion: Deletion): ConfigDocument {
  const kind = isOriginal(document) ? "v1alpha1" : String(document.kind);
  return inObject(document, deletion, 0, { document, kind });
}

interface Place {
  readonly document: ConfigDocument;
  readonly kind: string;
}

function inObject(object: JsonObject, deletion: Deletion, depth: number, place: Place): JsonObject {
  const key = deletion.path[depth] ?? "";
  const last = depth === deletion.path.length - 1;
  const value = object[key];
  const path = [place.kind, ...deletion.path.slice(0, depth + 1)];
  if (value === undefined || value === null) {
    // Of a field that Talos knows, absent and deleted are the same; a name that people give must be there.
    const nothingToDo = last && deletion.element === undefined ? !isFreeName(path) : isAlwaysThere(path);
    if (nothingToDo) return object;
    throw notThere(deletion, place);
  }
  if (last && deletion.element === undefined) return without(object, key);
  if (last) return { ...object, [key]: inList(value, deletion, place) };
  if (!isObject(value)) throw notThere(deletion, place);
  return { ...object, [key]: inObject(value, deletion, depth + 1, place) };
}

function inList(value: Json, deletion: Deletion, place: Place): Json {
  const { element } = deletion;
  if (!isList(value) || element === undefined) throw notThere(deletion, place);
  const at = value.findIndex(
    (item) => isObject(item) && item[element.key] !== undefined && String(item[element.key]) === element.value,
  );
  if (at < 0) throw notThere(deletion, place);
  return value.filter((_, index) => index !== at);
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function notThere({ path, element }: Deletion, { document }: Place) {
  const what = [documentTitle(document), path.join(".")].filter((part) => part !== "").join(" ");
  return userError("PATCH_DELETE", {
    message: `Unable to delete ${what}${element ? ` with ${element.key} ${element.value}` : ""}: it is not in the config`,
    hint: "remove this $patch: delete from the patch, or correct its path",
  });
}
