import type { Check } from "../../engine/step.ts";
import { systemPodProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { SYSTEM_NAMESPACE } from "./looks.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Checks that all other pods in kube-system run. */
export function systemPods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "pods",
    title: "system pods",
    until: "the system pods are ready",
    needs: "network",
    look: async (see, { world }) => {
      const [pods, nodes] = await Promise.all([see.pods(), see.kubernetesNodes()]);
      if (await lacksNetwork(cluster, see)) return leftOut("system pods");
      return orFine(
        problemFindings(systemPodProblems(pods, { nodes, now: world.clock.now() }), "SYSTEM_POD"),
        "SYSTEM_POD",
        `${SYSTEM_NAMESPACE}: ${pods.length} pods, all ready`,
      );
    },
  });
}
