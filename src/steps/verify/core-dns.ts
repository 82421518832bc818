import type { Check } from "../../engine/step.ts";
import { coreDnsProblems } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { withoutCni } from "./without-cni.ts";

/** Talos' check 15. */
export function coreDns(cluster: Cluster): Check {
  const { cni } = cluster.env.config.cluster;
  return verifyCheck(cluster, {
    id: "coredns",
    title: "CoreDNS",
    until: "CoreDNS is ready",
    look: async (see) => {
      const [deployments, pods] = await Promise.all([see.deployments(), see.pods()]);
      const problems = coreDnsProblems(deployments, pods);
      if (!problems) return [{ level: "ok", code: "COREDNS", message: "there is no CoreDNS" }];
      return orFine(cni === "none" ? withoutCni(problems) : problemFindings(problems, "COREDNS"), "COREDNS", "CoreDNS is ready");
    },
  });
}
