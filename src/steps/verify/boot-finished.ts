import type { Check } from "../../engine/step.ts";
import { notBooted } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 9. */
export function bootFinished(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "boot",
    title: "boot of the nodes",
    until: "every node has booted",
    look: async (see) => orFine(notBooted(await see.machineStatus()), "BOOTED", "every node has booted"),
  });
}
