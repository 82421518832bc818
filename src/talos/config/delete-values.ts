import type { Json } from "@talosmith/lib/json.ts";
import { type ConfigDocument, documentTitle, isList, isObject, type JsonObject } from "./document.ts";
import { type Field, inside, type Plain } from "./fields/field.ts";
import type { Deletion } from "./patch-deletes.ts";
import { Refusal } from "./refusal.ts";

/** Words whose values Talos cannot compare with a text. */
const UNCOMPARED = /^(bool|free|u?int\d*)$/;

/** The document without what a patch deletes inside it. */
export function withoutDeleted(document: ConfigDocument, deletion: Deletion, section: Field): ConfigDocument {
  return inObject(document, section, 0, { document, deletion });
}

interface Place {
  readonly document: ConfigDocument;
  readonly deletion: Deletion;
}

function inObject(object: JsonObject, field: Field, depth: number, place: Place): JsonObject {
  const { path, element } = place.deletion;
  const key = path[depth] ?? "";
  const last = depth === path.length - 1;
  const value = object[key];
  const inner = inside(field, key);
  if (inner === undefined || field.is === "list") throw notThere(place);
  if (value === undefined || value === null) {
    if (!isThereUnsaid(field, inner, last && element === undefined)) throw notThere(place);
    if (last) return object;
    // Talos continues in the empty object; the result is discarded.
    inObject({}, inner, depth + 1, place);
    return object;
  }
  if (last && element === undefined) return without(object, key);
  if (last) return { ...object, [key]: inList(value, inner, place) };
  if (!isObject(value)) throw notThere(place);
  return { ...object, [key]: inObject(value, inner, depth + 1, place) };
}

/** Whether Talos accepts the deletion of an absent value: it does for a known field, and some objects always exist; a free name must exist. */
function isThereUnsaid(field: Field, inner: Field, atItsEnd: boolean): boolean {
  if (field.is !== "object") return false;
  return atItsEnd || (inner.is === "object" && !inner.pointer);
}

function inList(value: Json, field: Field, place: Place): Json {
  const { element } = place.deletion;
  const compared = field.is === "list" && element !== undefined ? inside(field, element.key) : undefined;
  if (!isList(value) || element === undefined || compared?.is !== "plain" || UNCOMPARED.test(compared.word))
    throw notThere(place);
  const at = value.findIndex((item) => isObject(item) && String(item[element.key] ?? unsaid(compared)) === element.value);
  if (at < 0) throw notThere(place);
  return value.filter((_, index) => index !== at);
}

/** Talos's default for an absent value. */
function unsaid({ word, words }: Plain): string | undefined {
  return words === undefined ? { text: "", duration: "0s" }[word] : words[0];
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function notThere({ document, deletion: { path, element, at } }: Place): Refusal {
  const what = [documentTitle(document), path.join(".")].filter((part) => part !== "").join(" ");
  return new Refusal("PATCH_DELETE", {
    path: at,
    unableTo: `delete ${what}${element ? ` with ${element.key} ${element.value}` : ""}`,
    why: "it is not in the config",
    hint: "remove this $patch: delete from the patch, or correct its path",
  });
}
