import type { Check } from "../../engine/step.ts";
import { cordonedNodes } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 16. */
export function nodesSchedulable(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "schedulable",
    title: "nodes that take pods",
    until: "no node is cordoned",
    look: async (see) =>
      orFine(problemFindings(cordonedNodes(await see.kubernetesNodes(), see.nodes), "NODE"), "NODE", "no node is cordoned"),
  });
}
