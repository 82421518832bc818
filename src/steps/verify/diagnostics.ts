import type { Check } from "../../engine/step.ts";
import { DIAGNOSTICS, diagnoses } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 7. */
export function diagnostics(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "diagnostics",
    title: "Talos diagnostics",
    until: "no node reports a problem",
    look: async (see, { signal }) =>
      orFine(diagnoses(await see.each((api) => api.resources(DIAGNOSTICS, signal))), "DIAGNOSTIC", "no node reports a problem"),
  });
}
