import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Role, UserPatch } from "../../config/config.ts";
import { type ConfigDocument, documentKey, documentTitle, isObject, isOriginal } from "./document.ts";
import { minorOf } from "./fields/kinds.ts";
import { expressions } from "./validate/expressions.ts";
import type { Found, Rule } from "./validate/facts.ts";
import { kubernetes } from "./validate/kubernetes.ts";
import { sharedNames } from "./validate/names.ts";
import { needed } from "./validate/needed.ts";
import { network } from "./validate/network.ts";
import { original } from "./validate/original.ts";
import { runtime } from "./validate/runtime.ts";
import { twoForms } from "./validate/two-forms.ts";
import { volumes } from "./validate/volumes.ts";

const RULES: readonly Rule[] = [original, twoForms, sharedNames, needed, network, volumes, expressions, runtime, kubernetes];

export interface ValidateOptions {
  readonly role: Role;
  readonly mode: "metal" | "cloud";
  readonly talosVersion: string;
  /** Its name, for messages. */
  readonly node?: string;
  /** The patches applied to it: a problem is attributed to them first, from the last one to the first. */
  readonly patches?: readonly UserPatch[];
}

/** Returns problems for which Talos would refuse a whole config. Pure and incomplete: Talos may refuse more. */
export function configProblems(documents: readonly ConfigDocument[], options: ValidateOptions): TalosmithError[] {
  const { role, mode, talosVersion, node, patches = [] } = options;
  const main = documents.find(isOriginal) ?? {};
  const facts = { byKind: groupedByKind(documents), original: main, role, mode, talosVersion, minor: minorOf(talosVersion) };
  return RULES.flatMap((rule) => [...rule(facts)]).map((found) => {
    const title = documentTitle(found.document);
    const where = whereOf(found, patches);
    return userError("TALOS_CONFIG_REFUSED", {
      message: `${node === undefined ? "" : `${node}: `}${title === "" ? "" : `${title} `}${found.says}`,
      hint: found.hint,
      ...(where !== undefined && { where }),
    });
  });
}

function groupedByKind(documents: readonly ConfigDocument[]): Map<string, ConfigDocument[]> {
  const groups = new Map<string, ConfigDocument[]>();
  for (const document of documents) {
    const kind = String(document.kind ?? "");
    groups.set(kind, [...(groups.get(kind) ?? []), document]);
  }
  return groups;
}

/** The place in the last patch that touches the problem's path. */
function whereOf({ document, path }: Found, patches: readonly UserPatch[]): Where | undefined {
  const key = documentKey(document);
  // Elements of a list have other indexes in a patch than in the whole config.
  const list = path.findIndex((step) => typeof step === "number" || /^\d+$/.test(step));
  // In a separate document a missing key is attributed to the document; the original document belongs to all patches.
  const fewest = isOriginal(document) ? 1 : 0;
  for (let steps = list < 0 ? path.length : list; steps >= fewest; steps -= 1) {
    const wanted = path.slice(0, steps);
    for (const patch of patches.toReversed()) {
      const index = patch.documents.findIndex((one) => documentKey(one) === key && holds(one, wanted));
      if (index >= 0) return patch.where(index, wanted);
    }
  }
  return undefined;
}

function holds(value: Json | undefined, path: Found["path"]): boolean {
  const [step, ...rest] = path;
  return step === undefined ? value !== undefined : isObject(value) && holds(value[String(step)], rest);
}
