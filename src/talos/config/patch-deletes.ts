import type { Json } from "@talosmith/lib/json.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { type ConfigDocument, documentTitle, isList, isObject, isOriginal, type JsonObject } from "./document.ts";
import { Refusal } from "./refusal.ts";

/** A `$patch: delete` with the path of the deleted value. `element` is set when it is an element of the list there. */
export interface Deletion {
  readonly path: readonly string[];
  readonly element?: { readonly key: string; readonly value: string };
  /** Its path in the patch's document. */
  readonly at: Path;
}

/** A document of a patch, taken apart: Talos deletes first and merges what remains. */
export interface PatchParts {
  readonly deletions: readonly Deletion[];
  /** undefined when nothing but deletions was in it. */
  readonly rest: ConfigDocument | undefined;
}

export const MARK = "$patch";
const taken = new WeakMap<ConfigDocument, PatchParts>();

/** Nodes share their patches, so each document is taken apart once. */
export function takeApart(document: ConfigDocument): PatchParts {
  let parts = taken.get(document);
  if (parts === undefined) {
    parts = partsOf(document);
    taken.set(document, parts);
  }
  return parts;
}

function partsOf(document: ConfigDocument): PatchParts {
  if (isMarked(document)) {
    if (isOriginal(document))
      throw refused(
        document,
        [],
        [],
        "the main document cannot be deleted",
        "name apiVersion and kind of the document to delete",
      );
    return { deletions: [{ path: [], at: [MARK] }], rest: undefined };
  }
  const deletions: Deletion[] = [];
  const kept = withoutMarked(document, { document, path: [], at: [], found: deletions });
  const rest = deletions.length === 0 ? document : kept;
  return { deletions, rest: isObject(rest) && Object.keys(rest).some((key) => key !== "version") ? rest : undefined };
}

export function isMarked(value: Json): value is JsonObject {
  return isObject(value) && value[MARK] === "delete";
}

interface Search {
  readonly document: ConfigDocument;
  readonly path: readonly string[];
  readonly at: Path;
  readonly found: Deletion[];
}

/** undefined when deletions were all there was. */
function withoutMarked(value: Json, search: Search): Json | undefined {
  if (isList(value)) return listWithoutMarked(value, search);
  if (!isObject(value)) return value;
  const { found, path, at } = search;
  const before = found.length;
  const rest: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isMarked(inner)) found.push({ path: [...path, key], at: [...at, key, MARK] });
    else {
      const kept = withoutMarked(inner, { ...search, path: [...path, key], at: [...at, key] });
      if (kept !== undefined) rest[key] = kept;
    }
  }
  return Object.keys(rest).length === 0 && found.length > before ? undefined : rest;
}

function listWithoutMarked(list: readonly Json[], { document, path, at, found }: Search) {
  const before = found.length;
  const kept: Json[] = [];
  for (const [index, item] of list.entries()) {
    const here = [...at, index];
    if (isMarked(item)) found.push({ path, element: selected(item, path, here, document), at: [...here, MARK] });
    else if (holdsMark(item))
      throw refused(
        document,
        path,
        here,
        "nothing can be deleted inside an element of a list",
        "delete the whole element and add it again",
      );
    else kept.push(item);
  }
  return kept.length === 0 && found.length > before ? undefined : kept;
}

function selected(item: JsonObject, path: readonly string[], at: Path, document: ConfigDocument): { key: string; value: string } {
  const [pair] = Object.entries(item).filter(([key]) => key !== MARK);
  if (pair === undefined || isObject(pair[1]) || isList(pair[1]))
    throw refused(
      document,
      path,
      at,
      "a deleted element must be named by one of its values",
      `write { name: X, ${MARK}: delete }`,
    );
  return { key: pair[0], value: String(pair[1]) };
}

function holdsMark(value: Json): boolean {
  if (isList(value)) return value.some(holdsMark);
  return isObject(value) && (isMarked(value) || Object.values<Json>(value).some(holdsMark));
}

function refused(document: ConfigDocument, path: readonly string[], at: Path, why: string, hint: string): Refusal {
  const place = [documentTitle(document), path.join(".")].filter((part) => part !== "").join(" ");
  return new Refusal("PATCH_DELETE", { path: at, unableTo: `delete ${place || "what the patch says"}`, why, hint });
}
