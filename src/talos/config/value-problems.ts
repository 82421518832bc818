import type { Json } from "@talosmith/lib/json.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { keyHint, nearest } from "../../config/nearest.ts";
import { isList, isObject, type JsonObject } from "./document.ts";
import { type Field, inside, knownSince, type List, type Plain, type Section } from "./fields/field.ts";
import type { Minor } from "./fields/kinds.ts";
import { isPlainValue, pemKeys, unreadable } from "./fields/words.ts";
import { MARK } from "./patch-deletes.ts";

/** Reports a problem: its path, the text after the document's name, and the hint. */
export type Say = (path: Path, says: string, hint: string) => void;

export interface Place {
  readonly kind: string;
  readonly path: Path;
  /** The path without indexes of lists. */
  readonly keys: readonly string[];
  readonly minor: Minor;
  readonly say: Say;
  readonly inList?: true;
}

/** Keys that Talos does not know and values that it cannot read. */
export function valueProblems(value: Json, field: Field, place: Place): void {
  if (value === null) return;
  if (isObject(value) && value[MARK] !== undefined && !(field.is === "plain" && field.word === "free")) {
    checkMark(value, place);
    return;
  }
  if (field.is === "plain") checkPlain(value, field, place);
  else if (field.is === "list") checkList(value, field, place);
  else if (!isObject(value)) wrongShape(value, "a section of keys", place);
  else if (field.is === "map")
    for (const [key, inner] of Object.entries(value)) valueProblems(inner, field.of, below(place, key));
  else checkSection(value, field, place);
}

function checkSection(section: JsonObject, field: Section, place: Place): void {
  for (const [key, value] of Object.entries(section)) {
    const inner = field.keys.get(key);
    if (inner === undefined) unknownKey(key, [...field.keys.keys()], below(place, key));
    else valueProblems(value, inner, below(place, key));
  }
}

function checkList(value: Json, field: List, place: Place): void {
  if (!isList(value)) {
    wrongShape(value, "a list", place);
    return;
  }
  for (const [index, element] of value.entries()) {
    const at: Place = { ...place, path: [...place.path, index], inList: true };
    if (element === null && field.of.is === "object")
      at.say(at.path, `${pathName(at.path)} is empty`, "remove it, or write its keys");
    else if (isObject(element) && element[MARK] !== undefined) checkDeletedElement(element, field, at);
    else valueProblems(element, field.of, at);
  }
}

function checkPlain(value: Json, field: Plain, place: Place): void {
  const pem = pemKeys(field);
  if (pem !== undefined) checkPem(value, pem, place);
  else if (field.word === "free") return;
  else if (field.word === "argument" && isList(value)) {
    for (const [index, text] of value.entries())
      if (!isPlainValue(text)) wrongShape(text, "text", { ...place, path: [...place.path, index] });
  } else if (!isPlainValue(value)) wrongShape(value, "a single value", place);
  else {
    const wanted = unreadable(field, value);
    if (wanted === undefined) return;
    const near = field.words && nearest(String(value), field.words);
    const hint = near ? `did you mean ${near}?` : `write ${wanted.is}, such as ${wanted.example}`;
    place.say(place.path, `${pathName(place.path)} must be ${wanted.is}`, hint);
  }
}

function checkPem(value: Json, keys: readonly string[], place: Place): void {
  if (!isObject(value)) {
    wrongShape(value, `a section with ${keys.join(" and ")}`, place);
    return;
  }
  for (const [key, text] of Object.entries(value)) {
    const at = below(place, key);
    if (!keys.includes(key)) unknownKey(key, keys, at);
    else if (text !== null && text !== "******") checkPlain(text, BASE64, at);
  }
}

const BASE64: Plain = { is: "plain", word: "base64", pointer: false, replaced: false };

/** `$patch` in an object: to delete is all it can do. */
function checkMark(object: JsonObject, { path, say, inList }: Place): void {
  const at = [...path, MARK];
  if (object[MARK] !== "delete")
    say(at, `${pathName(at)} can only be delete`, `write ${MARK}: delete; everything else is merged as it stands`);
  else if (inList) {
    const hint = "delete the whole element and add it again";
    say(at, `${pathName(path)} cannot be deleted: nothing can be deleted inside an element of a list`, hint);
  }
}

function checkDeletedElement(element: JsonObject, list: List, place: Place): void {
  const at = [...place.path, MARK];
  const [key] = Object.keys(element).filter((name) => name !== MARK);
  const compared = key === undefined ? undefined : inside(list, key);
  if (element[MARK] !== "delete") checkMark(element, { ...place });
  else if (list.of.is !== "object")
    place.say(
      at,
      `${pathName(place.path)} cannot be deleted: elements of this list have no names`,
      "delete the whole list and write it again",
    );
  else if (key === undefined)
    place.say(at, `${pathName(place.path)} does not say which element it deletes`, `write { name: X, ${MARK}: delete }`);
  else if (compared === undefined) unknownKey(key, [...list.of.keys.keys()], below(place, key));
  else if (compared.is !== "plain" || /^(bool|u?int\d*)$/.test(compared.word))
    place.say([...place.path, key], `${pathName(place.path)} cannot be found by its ${key}`, "name it by a key that holds text");
}

function unknownKey(key: string, keys: readonly string[], place: Place): void {
  const since = knownSince(place.kind, place.keys);
  const name = pathName(place.path);
  if (since === undefined) place.say(place.path, `${name} is not a known key`, keyHint(key, keys));
  else
    place.say(place.path, `${name} comes with Talos ${since}`, `remove it, or use Talos ${since}: this is Talos ${place.minor}`);
}

function wrongShape(value: Json, wanted: string, { path, say }: Place): void {
  const is = isList(value) ? "a list" : isObject(value) ? "a section of keys" : "a single value";
  const hints: Record<string, string> = {
    "a list": "write its elements below it, each behind a dash",
    "a section of keys": "write the keys below it, indented",
  };
  say(path, `${pathName(path)} must be ${wanted}, not ${is}`, hints[wanted] ?? `write ${wanted}`);
}

function below(place: Place, key: string): Place {
  return { ...place, path: [...place.path, key], keys: [...place.keys, key] };
}
