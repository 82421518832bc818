import type { Check } from "../../engine/step.ts";
import { systemPodProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { SYSTEM_NAMESPACE } from "./looks.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { withoutCni } from "./without-cni.ts";

/** Whatever else is in kube-system and should run, runs. */
export function systemPods(cluster: Cluster): Check {
  const { cni } = cluster.env.config.cluster;
  return verifyCheck(cluster, {
    id: "pods",
    title: "system pods",
    until: "the system pods are ready",
    look: async (see) => {
      const pods = await see.pods();
      const problems = systemPodProblems(pods);
      const findings = cni === "none" ? withoutCni(problems) : problemFindings(problems, "SYSTEM_POD");
      return orFine(findings, "SYSTEM_POD", `${SYSTEM_NAMESPACE}: ${pods.length} pods, all as they should be`);
    },
  });
}
