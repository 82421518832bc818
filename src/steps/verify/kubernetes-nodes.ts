import type { Check, Finding } from "../../engine/step.ts";
import { membershipProblems, type Problem, roleProblems, versionProblems } from "../../kubernetes/health.ts";
import { nameProblems } from "../../kubernetes/health-marks.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 10, and more: Kubernetes has the nodes of the config and no others, with the right names, roles and versions. */
export function kubernetesNodes(cluster: Cluster): Check {
  const { nodes, cluster: wanted } = cluster.env.config;
  return verifyCheck(cluster, {
    id: "nodes",
    title: `${nodes.length} Kubernetes nodes`,
    until: "Kubernetes has the nodes of the config",
    look: async (see) => {
      const seen = await see.kubernetesNodes();
      const problems = [...membershipProblems(seen, nodes), ...nameProblems(seen, nodes), ...roleProblems(seen, nodes)];
      const others = versionProblems(seen, nodes, wanted.kubernetes);
      return [
        ...orFine(problemFindings(problems, "NODE"), "NODE", "Kubernetes has the nodes of the config, and no others"),
        ...orFine(others.map(anotherRelease), "KUBERNETES_VERSION", `all run Kubernetes ${wanted.kubernetes}`),
      ];
    },
  });
}

/** Another release is an upgrade, which `up` does not do: then it must not fail because of it either. */
function anotherRelease({ subject, problem }: Problem): Finding {
  return {
    level: "warn",
    code: "KUBERNETES_VERSION",
    message: `${subject} ${problem}; kept (another release is an upgrade)`,
    hint: "talosctl upgrade-k8s, or put the version it runs into cluster.kubernetes",
  };
}
