import type { SimulatedCluster } from "../cluster.ts";

/** The part of a cluster needed to schedule its controllers, also while its API is down. */
export type ClusterHandle = Pick<SimulatedCluster, "lab" | "key" | "state">;

export const LOOK = "kubernetes.look";

/** Time until controllers notice a change, in virtual milliseconds. */
const NOTICE_MS = 20;

export function lookSoon(cluster: ClusterHandle): void {
  lookIn(cluster, NOTICE_MS);
}

/** Schedules a controller run after this much virtual time, unless an earlier one is scheduled. */
export function lookIn({ lab, key, state }: ClusterHandle, ms: number): void {
  const at = lab.now() + Math.max(0, Math.ceil(ms));
  if (state.nextLook !== undefined && state.nextLook <= at) return;
  state.nextLook = at;
  lab.schedule(LOOK, at - lab.now(), { cluster: key });
}
