import type { Check } from "../../engine/step.ts";
import { CONTROL_PLANE_APPS } from "../../kubernetes/health.ts";
import { missingStaticPods, STATIC_PODS } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 11: the nodes report the static pods of the control plane as running. */
export function staticPods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "static-pods",
    title: "static pods",
    until: "every control plane runs its static pods",
    look: async (see, { signal }) => {
      const asked = await see.each((api) => api.resources(STATIC_PODS, signal), see.controlPlanes);
      return orFine(missingStaticPods(asked, CONTROL_PLANE_APPS), "STATIC_PODS", "every control plane runs its static pods");
    },
  });
}
