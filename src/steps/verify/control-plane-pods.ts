import type { Check } from "../../engine/step.ts";
import { controlPlaneProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 12: Kubernetes shows the control plane's pods, and they are ready. */
export function controlPlanePods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "control-plane-pods",
    title: "pods of the control plane",
    until: "the control plane's pods are ready",
    look: async (see, { world }) => {
      const [pods, nodes] = await Promise.all([see.pods(), see.kubernetesNodes()]);
      const problems = controlPlaneProblems(pods, nodes, see.nodes, world.clock.now());
      return orFine(problemFindings(problems, "SYSTEM_POD"), "SYSTEM_POD", "the control plane's pods are ready");
    },
  });
}
