import type { Check } from "../../engine/step.ts";
import { coreDnsProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Talos' check 15. */
export function coreDns(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "coredns",
    title: "CoreDNS",
    until: "CoreDNS is ready",
    needs: "network",
    look: async (see, { world }) => {
      const [deployments, pods, nodes] = await Promise.all([see.deployments(), see.pods(), see.kubernetesNodes()]);
      if (await lacksNetwork(cluster, see)) return leftOut("CoreDNS");
      const problems = coreDnsProblems(deployments, pods, { nodes, now: world.clock.now() });
      if (!problems) return [{ level: "ok", code: "COREDNS", message: "there is no CoreDNS" }];
      return orFine(problemFindings(problems, "COREDNS"), "COREDNS", "CoreDNS is ready");
    },
  });
}
