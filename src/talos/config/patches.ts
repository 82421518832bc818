import { userError } from "@talosmith/lib/errors.ts";
import type { UserPatch } from "../../config/config.ts";
import type { ConfigDocument } from "./document.ts";
import { minorOf } from "./fields/kinds.ts";
import { layOver, Refused } from "./merge.ts";

/** Applies the user's patches to a node's config in order. A patch that does not fit is refused with its own file and line. */
export function applyPatches(
  documents: readonly ConfigDocument[],
  patches: readonly UserPatch[],
  { node, talosVersion }: { readonly node: string; readonly talosVersion: string },
): ConfigDocument[] {
  const minor = minorOf(talosVersion);
  return patches.reduce<ConfigDocument[]>(
    (config, patch) => {
      try {
        return layOver(config, patch.documents, minor);
      } catch (thrown) {
        throw thrown instanceof Refused ? refusedFor(thrown, patch, node) : thrown;
      }
    },
    [...documents],
  );
}

function refusedFor({ refusal, document }: Refused, patch: UserPatch, node: string) {
  const { path, unableTo, why, hint } = refusal.said;
  const where = patch.where(document, path);
  return userError(refusal.code, {
    message: `Unable to apply patch ${patch.title} to node ${node}`,
    detail: `unable to ${unableTo}: ${why}`,
    hint,
    ...(where !== undefined && { where }),
  });
}
