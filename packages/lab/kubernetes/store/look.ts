import type { Cluster } from "../cluster.ts";

/** Enough of a cluster to call its controllers, also while its API is away. */
export type Looked = Pick<Cluster, "lab" | "key" | "state">;

export const LOOK = "kubernetes.look";

/** What controllers need to notice a change, in virtual milliseconds. */
const NOTICE_MS = 20;

export function lookSoon(cluster: Looked): void {
  lookIn(cluster, NOTICE_MS);
}

/** Lets the controllers look after this much virtual time, unless they do so before anyway. */
export function lookIn({ lab, key, state }: Looked, ms: number): void {
  const at = lab.now() + Math.max(0, Math.ceil(ms));
  if (state.nextLook !== undefined && state.nextLook <= at) return;
  state.nextLook = at;
  lab.schedule(LOOK, at - lab.now(), { cluster: key });
}
