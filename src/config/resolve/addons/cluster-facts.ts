import type { ClusterFacts } from "../../../catalog/addons/addon.ts";
import { type Facts, gpuOf } from "../../checks/facts.ts";
import type { Role } from "../../config.ts";
import type { Pool } from "../../pools.ts";
import { clusterOf } from "../cluster.ts";
import { sure } from "../values.ts";

/** What presets may know of the cluster. Only for files without problems. */
export function clusterFacts(facts: Facts): ClusterFacts {
  const { draft, pools } = facts;
  const { name, talos, kubernetes, scheduleOnControlPlanes, podSubnets, serviceSubnets } = clusterOf(facts);
  const count = (which: (pool: Pool) => boolean) => pools.filter(which).reduce((sum, { nodes }) => sum + nodes.length, 0);
  const withRole = (role: Role) => count((pool) => pool.role === role);
  return {
    name,
    talos,
    kubernetes,
    platform: sure(draft.platform),
    controlPlanes: withRole("controlplane"),
    workers: withRole("worker"),
    gpuNodes: count((pool) => gpuOf(facts, pool) !== undefined),
    scheduleOnControlPlanes,
    podSubnets,
    serviceSubnets,
  };
}
