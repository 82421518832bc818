import type { Check } from "../../engine/step.ts";
import { kubeProxyProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 14. */
export function kubeProxy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "kube-proxy",
    title: "kube-proxy",
    until: "kube-proxy is ready on every node",
    look: async (see, { world }) => {
      const [sets, pods, nodes] = await Promise.all([see.daemonSets(), see.pods(), see.kubernetesNodes()]);
      const problems = kubeProxyProblems(sets, pods, { nodes, now: world.clock.now() });
      if (!problems) return [{ level: "ok", code: "KUBE_PROXY", message: "there is no kube-proxy: the CNI does its work" }];
      return orFine(problemFindings(problems, "KUBE_PROXY"), "KUBE_PROXY", "kube-proxy is ready on every node");
    },
  });
}
