import { BLOCK } from "./block.ts";
import { K8S } from "./k8s.ts";
import { CLUSTER, CONTAINER, CRI, RUNTIME, SECURITY } from "./machine.ts";
import { MAIN } from "./main.ts";
import { NETWORK } from "./network.ts";
import type { Kinds } from "./notation.ts";

/** The name of the original document's table. */
export const ORIGINAL = "v1alpha1";

/** The Talos minors that the tables tell apart, oldest first. */
export const MINORS = ["1.12", "1.13", "1.14"] as const;
export type Minor = (typeof MINORS)[number];

export const KINDS: Kinds = {
  [ORIGINAL]: MAIN,
  ...NETWORK,
  ...BLOCK,
  ...RUNTIME,
  ...CRI,
  ...SECURITY,
  ...CLUSTER,
  ...CONTAINER,
  ...K8S,
};

/** The minor whose tables apply to a version such as "v1.13.9"; the newest one for newer versions. */
export function minorOf(talosVersion: string): Minor {
  const [, minor] = /^v?1\.(\d+)/.exec(talosVersion) ?? [];
  return MINORS.find((known) => Number(known.slice(2)) >= Number(minor)) ?? MINORS[MINORS.length - 1] ?? "1.14";
}
