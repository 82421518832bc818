import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { Refusal } from "./refusal.ts";

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s;

/** Talos merges URLs by their parts: one without a path keeps the path of the config's. */
export function mergeUrls(left: string, right: string, path: Path): string {
  const [ours, theirs] = [PARTS.exec(left), PARTS.exec(right)];
  if (ours === null || theirs === null) return right;
  if (ours[2] !== undefined && theirs[2] !== undefined) {
    const says = { unableTo: `merge ${path.join(".")}`, why: "Talos cannot replace the user of a URL" };
    throw new Refusal("PATCH_SHAPE", { path, ...says, hint: "delete it in one patch and write it again in the next" });
  }
  const [scheme, user, host, way, query, fragment] = [1, 2, 3, 4, 5, 6].map((at) => theirs[at] || ours[at] || "");
  const authority = host === "" && user === "" ? "" : `//${user === "" ? "" : `${user}@`}${host}`;
  const rooted = authority !== "" && way !== "" && !way?.startsWith("/") ? `/${way}` : way;
  return `${scheme === "" ? "" : `${scheme}:`}${authority}${rooted}${query}${fragment}`;
}
