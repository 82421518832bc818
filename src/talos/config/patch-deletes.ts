import { userError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { type ConfigDocument, documentTitle, isList, isObject, isOriginal, type JsonObject } from "./document.ts";

/** One `$patch: delete`: the way to what must go. `element` is set when it is an element of the list there. */
export interface Deletion {
  readonly path: readonly string[];
  readonly element?: { readonly key: string; readonly value: string };
}

/** A document of a patch, taken apart: Talos deletes first and merges what remains. */
export interface PatchParts {
  readonly deletions: readonly Deletion[];
  /** undefined when nothing but deletions was in it. */
  readonly rest: ConfigDocument | undefined;
}

const MARK = "$patch";

export function takeApart(document: ConfigDocument): PatchParts {
  if (isMarked(document)) {
    if (isOriginal(document))
      throw refused(document, [], "the main document cannot be deleted", "name apiVersion and kind of the document to delete");
    return { deletions: [{ path: [] }], rest: undefined };
  }
  const deletions: Deletion[] = [];
  const rest = withoutMarked(document, [], document, deletions);
  return { deletions, rest: isObject(rest) && Object.keys(rest).some((key) => key !== "version") ? rest : undefined };
}

function isMarked(value: Json): value is JsonObject {
  return isObject(value) && value[MARK] === "delete";
}

/** undefined when deletions were all there was. */
function withoutMarked(value: Json, path: readonly string[], document: ConfigDocument, found: Deletion[]): Json | undefined {
  if (isList(value)) return listWithoutMarked(value, path, document, found);
  if (!isObject(value)) return value;
  const before = found.length;
  const rest: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isMarked(inner)) found.push({ path: [...path, key] });
    else {
      const kept = withoutMarked(inner, [...path, key], document, found);
      if (kept !== undefined) rest[key] = kept;
    }
  }
  return Object.keys(rest).length === 0 && found.length > before ? undefined : rest;
}

function listWithoutMarked(list: readonly Json[], path: readonly string[], document: ConfigDocument, found: Deletion[]) {
  const before = found.length;
  const kept: Json[] = [];
  for (const item of list) {
    if (isMarked(item)) found.push({ path, element: selected(item, path, document) });
    else if (holdsMark(item))
      throw refused(
        document,
        path,
        "nothing can be deleted inside an element of a list",
        "delete the whole element and add it anew",
      );
    else kept.push(item);
  }
  return kept.length === 0 && found.length > before ? undefined : kept;
}

function selected(item: JsonObject, path: readonly string[], document: ConfigDocument): { key: string; value: string } {
  const [pair] = Object.entries(item).filter(([key]) => key !== MARK);
  if (pair === undefined || isObject(pair[1]) || isList(pair[1]))
    throw refused(document, path, "a deleted element must be named by one of its values", `write { name: X, ${MARK}: delete }`);
  return { key: pair[0], value: String(pair[1]) };
}

function holdsMark(value: Json): boolean {
  if (isList(value)) return value.some(holdsMark);
  return isObject(value) && (isMarked(value) || Object.values<Json>(value).some(holdsMark));
}

function refused(document: ConfigDocument, path: readonly string[], why: string, hint: string) {
  const place = [documentTitle(document), path.join(".")].filter((part) => part !== "").join(" ");
  return userError("PATCH_DELETE", { message: `Unable to delete ${place || "what the patch says"}: ${why}`, hint });
}
