import { openSnapshots } from "../maintenance/snapshot.ts";
import { etcdSnapshot } from "../steps/provision/etcd-snapshot.ts";
import { controlPlanesOf } from "../steps/provision/leavers.ts";
import type { Given, Workflow } from "./workflow.ts";

/** Everything `down` does: takes a snapshot of etcd, then removes what the environment owns. */
export const down: Workflow = (given) => {
  const { platform, found } = given;
  const ours = [...found.owned, ...(found.unseen ?? [])];
  const snapshot = snapshotOf(given);
  const before = snapshot.map((item) => item.out);
  const machines = ours
    .flatMap((owned) => platform.removal(owned, undefined))
    .map((item) => ({ ...item, needs: [...item.needs, ...before] }));
  const after = machines.map((item) => item.out);
  return [...snapshot, ...machines, ...(platform.remains?.(found, after) ?? [])];
};

/** The snapshot step; left out when no control plane runs and no mark records a bootstrap. */
function snapshotOf({ env, found, talos, takesSnapshots, notice }: Given) {
  const controlPlanes = controlPlanesOf(found.owned);
  const bootstrapped = found.owned.some((owned) => owned.bootstrapped);
  if (!takesSnapshots || !(bootstrapped || controlPlanes.length > 0)) return [];
  return [etcdSnapshot(openSnapshots({ env, talos, controlPlanes, bootstrapped, wanted: true, notice }), "told")];
}
