import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { UserPatch } from "../../config/config.ts";
import { nearest } from "../../config/nearest.ts";
import { documentTitle, isList, isObject, type JsonObject } from "./document.ts";
import { fieldsOf, kindsOf, knownSince } from "./fields/field.ts";
import { type Minor, minorOf, ORIGINAL } from "./fields/kinds.ts";
import { isMarked, MARK } from "./patch-deletes.ts";
import { type Say, valueProblems } from "./value-problems.ts";

/** Returns all problems of patches by themselves, for this Talos. Pure; a patch that nodes share is checked once. */
export function patchProblems(patches: readonly UserPatch[], talosVersion: string): TalosmithError[] {
  const minor = minorOf(talosVersion);
  return [...new Set(patches)].flatMap((patch) => problemsOf(patch, minor));
}

const known = new WeakMap<UserPatch, Map<Minor, readonly TalosmithError[]>>();

function problemsOf(patch: UserPatch, minor: Minor): readonly TalosmithError[] {
  const byMinor = known.get(patch) ?? new Map<Minor, readonly TalosmithError[]>();
  known.set(patch, byMinor);
  const seen = byMinor.get(minor);
  if (seen !== undefined) return seen;
  const found: TalosmithError[] = [];
  for (const [index, document] of patch.documents.entries()) {
    const title = isObject(document) ? documentTitle(document) : "";
    checkDocument(document, minor, (path, says, hint) => {
      const where = patch.where(index, path);
      const message = `${patch.title}: ${title === "" ? "" : `${title} `}${says}`;
      found.push(userError("PATCH_INVALID", { message, hint, ...(where !== undefined && { where }) }));
    });
  }
  byMinor.set(minor, found);
  return found;
}

function checkDocument(document: Json, minor: Minor, say: Say): void {
  if (!isObject(document) || isOperation(document)) {
    const hint = "write the keys as they stand in the machine config, such as machine: { sysctls: { vm.swappiness: '1' } }";
    say(
      [],
      isJsonPatch(document) ? "is a JSON patch (RFC 6902), which Talos takes for one document only" : "is not a document",
      hint,
    );
    return;
  }
  const { kind, apiVersion } = document;
  if (kind === undefined && apiVersion === undefined) checkOriginal(document, minor, say);
  else if (typeof kind !== "string" || kind === "")
    say(["apiVersion"], "has an apiVersion and no kind", "write kind: …, or remove apiVersion when it is for machine or cluster");
  else if (apiVersion !== "v1alpha1")
    say(apiVersion === undefined ? ["kind"] : ["apiVersion"], "needs apiVersion v1alpha1", "write apiVersion: v1alpha1");
  else checkKind(document, kind, minor, say);
}

function checkOriginal(document: JsonObject, minor: Minor, say: Say): void {
  const section = fieldsOf(ORIGINAL, minor);
  if (isMarked(document)) {
    say([MARK], "cannot delete the main document", "name apiVersion and kind of the document to delete");
  } else if (section !== undefined) {
    if (Object.keys(document).length === 0) say([], "is empty", "write what it changes, or remove it");
    valueProblems(document, section, { kind: ORIGINAL, path: [], keys: [], minor, say });
  }
}

function checkKind(document: JsonObject, kind: string, minor: Minor, say: Say): void {
  const section = fieldsOf(kind, minor);
  if (kind === ORIGINAL || section === undefined) {
    const since = kind === ORIGINAL ? undefined : knownSince(kind, []);
    if (since !== undefined)
      say(["kind"], `comes with Talos ${since}`, `remove it, or use Talos ${since}: this is Talos ${minor}`);
    else {
      const near = nearest(kind, kindsOf(minor));
      say(
        ["kind"],
        "is not a kind that Talos knows",
        near === undefined ? "look up its name in Talos's reference" : `did you mean ${near}?`,
      );
    }
    return;
  }
  if (section.keys.has("name") && (document.name === undefined || document.name === null || document.name === ""))
    say(["kind"], "has no name", `write name: … ; a ${kind} is known by it`);
  if (!isMarked(document)) valueProblems(document, section, { kind, path: [], keys: [], minor, say });
}

function isJsonPatch(document: Json): boolean {
  return isList(document) ? document.some((item) => isOperation(item)) : isOperation(document);
}

function isOperation(value: Json): boolean {
  return isObject(value) && typeof value.op === "string" && typeof value.path === "string";
}
