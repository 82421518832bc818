import type { Check, Finding } from "../../engine/step.ts";
import { serviceProblems } from "../../talos/health/services.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";

/** Talos' check 1: etcd runs and is healthy on every control plane. */
export function etcdHealthy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd",
    title: "etcd",
    until: "etcd is healthy on every control plane",
    look: async (see) =>
      (await see.services()).flatMap((one): Finding[] => {
        const problems = serviceProblems([one], "etcd", "ETCD");
        if (problems.length > 0) return problems;
        return [{ level: "ok", code: "ETCD", message: `${one.node.name}: etcd is healthy` }];
      }),
  });
}
