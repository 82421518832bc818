import { withoutDeleted } from "./delete-values.ts";
import { type ConfigDocument, documentKey, documentTitle, isOriginal } from "./document.ts";
import { type Field, fieldsOf } from "./fields/field.ts";
import { type Minor, minorOf, ORIGINAL } from "./fields/kinds.ts";
import { mergeValues } from "./merge-values.ts";
import { type Deletion, takeApart } from "./patch-deletes.ts";
import { Refusal } from "./refusal.ts";

/** Kinds that Talos cannot merge at all: its code of that minor stumbles over their addresses. */
const NEVER_MERGED: Partial<Record<Minor, readonly string[]>> = { "1.13": ["RoutingRuleConfig"] };
const UNKNOWN: Field = {
  is: "map",
  of: { is: "plain", word: "free", pointer: false, replaced: false },
  pointer: false,
  replaced: false,
};

/** Applies a patch by the strategic merge rules of this Talos version. Documents that the config does not have are appended. */
export function mergeDocuments(
  base: readonly ConfigDocument[],
  patch: readonly ConfigDocument[],
  talosVersion = "v1.14.0",
): ConfigDocument[] {
  try {
    return layOver(base, patch, minorOf(talosVersion));
  } catch (thrown) {
    throw thrown instanceof Refused ? thrown.refusal.asUserError() : thrown;
  }
}

/** A refusal and the document of the patch it is about. */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly document: number,
  ) {
    super(refusal.message);
  }
}

/** Applies a patch, with errors that contain their place in the patch. */
export function layOver(base: readonly ConfigDocument[], patch: readonly ConfigDocument[], minor: Minor): ConfigDocument[] {
  const merged = new Map(base.map((document) => [documentKey(document), document]));
  const seen = new Set<string>();
  for (const [index, document] of patch.entries()) {
    try {
      layOne(merged, document, seen, minor);
    } catch (thrown) {
      throw thrown instanceof Refusal ? new Refused(thrown, index) : thrown;
    }
  }
  return [...merged.values()];
}

function layOne(merged: Map<string, ConfigDocument>, document: ConfigDocument, seen: Set<string>, minor: Minor): void {
  const key = documentKey(document);
  const { deletions, rest } = takeApart(document);
  for (const deletion of deletions) applyDeletion(merged, key, document, deletion, minor);
  if (rest === undefined) return;
  if (seen.has(key) && isBefore114(minor)) throw twice(document);
  seen.add(key);
  const left = merged.get(key);
  merged.set(key, left === undefined ? rest : mergeDocument(left, rest, minor));
}

function applyDeletion(
  merged: Map<string, ConfigDocument>,
  key: string,
  document: ConfigDocument,
  deletion: Deletion,
  minor: Minor,
): void {
  const left = merged.get(key);
  if (left !== undefined && deletion.path.length === 0) merged.delete(key);
  else if (left !== undefined) merged.set(key, withoutDeleted(left, deletion, sectionOf(left, minor)));
  else if (isBefore114(minor)) {
    throw new Refusal("PATCH_DELETE", {
      path: deletion.at,
      unableTo: `delete ${documentTitle(document) || "from the main document"}`,
      why: "the config has no such document",
      hint: "remove it from the patch, or correct its kind and name",
    });
  }
}

function mergeDocument(left: ConfigDocument, right: ConfigDocument, minor: Minor): ConfigDocument {
  if (NEVER_MERGED[minor]?.includes(String(left.kind))) {
    throw new Refusal("PATCH_SHAPE", {
      path: ["kind"],
      unableTo: `merge ${documentTitle(left)}`,
      why: `Talos ${minor} cannot change a document of this kind`,
      hint: "delete the document in one patch ($patch: delete) and write it again in the next",
    });
  }
  return mergeValues(left, right, sectionOf(left, minor), []) as ConfigDocument;
}

function sectionOf(document: ConfigDocument, minor: Minor): Field {
  return fieldsOf(isOriginal(document) ? ORIGINAL : String(document.kind), minor) ?? UNKNOWN;
}

/** Since 1.14 a patch may have a document twice, and may delete one that is not there. */
function isBefore114(minor: Minor): boolean {
  return minor === "1.12" || minor === "1.13";
}

function twice(document: ConfigDocument): Refusal {
  return new Refusal("PATCH_TWICE", {
    path: document.kind === undefined ? [] : ["kind"],
    unableTo: `merge ${documentTitle(document) || "the main document"}`,
    why: "the patch has it twice",
    hint: "join the two into one document",
  });
}
