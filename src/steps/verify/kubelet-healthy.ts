import type { Check } from "../../engine/step.ts";
import { serviceProblems } from "../../talos/health/services.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 8. Workers' kubelets show in Kubernetes itself. */
export function kubeletHealthy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "kubelet",
    title: "kubelets",
    until: "the kubelet is healthy on every control plane",
    look: async (see) =>
      orFine(
        serviceProblems(await see.services(), "kubelet", "KUBELET"),
        "KUBELET",
        "the kubelet is healthy on every control plane",
      ),
  });
}
