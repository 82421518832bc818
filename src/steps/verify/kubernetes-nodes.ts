import type { Check, Finding } from "../../engine/step.ts";
import { cordonedNodes, membershipProblems, type Problem, roleProblems, versionProblems } from "../../kubernetes/health.ts";
import { gpuProblems, markProblems, nameProblems } from "../../kubernetes/health-marks.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 10, and more: Kubernetes has the nodes of the config and no others, with the right names, roles and versions. */
export function kubernetesNodes(cluster: Cluster): Check {
  const { nodes, cluster: wanted } = cluster.env.config;
  const other = cluster.env.upgrade?.kubernetes;
  // Reported before, in one line for all of them.
  const known = new Set([other?.config, ...(other?.runs.map(({ version }) => version) ?? [])]);
  return verifyCheck(cluster, {
    id: "nodes",
    title: `${nodes.length} Kubernetes nodes`,
    until: "Kubernetes has the nodes of the config",
    look: async (see) => {
      const seen = await see.kubernetesNodes();
      const problems = [...membershipProblems(seen, nodes), ...nameProblems(seen, nodes), ...roleProblems(seen, nodes)];
      const others = versionProblems(seen, nodes, wanted.kubernetes).filter(({ version }) => !known.has(version));
      return [
        ...orFine(problemFindings(problems, "NODE"), "NODE", "Kubernetes has the nodes of the config, and no others"),
        ...orFine(others.map(anotherRelease), "KUBERNETES_VERSION", `they run Kubernetes ${wanted.kubernetes}`),
      ];
    },
  });
}

/** A wait does not help, so it fails at once (`checks.ts`). */
function anotherRelease({ subject, problem }: Problem): Finding {
  return {
    level: "warn",
    code: "KUBERNETES_VERSION",
    message: `${subject} ${problem} (another release is an upgrade, which up does not do)`,
    hint: "talosctl upgrade-k8s, or put the version it runs into cluster.kubernetes",
  };
}

/** The addon that makes GPUs visible in Kubernetes. */
const GPU_ADDON = "nvidia";

/** Checks that nodes have the labels, taints and GPUs of the config. */
export function nodeMarks(cluster: Cluster): Check {
  const { nodes, addons } = cluster.env.config;
  const isOffered = addons.all.some(({ name }) => name === GPU_ADDON);
  const withGpu = isOffered ? nodes.filter(({ gpu }) => gpu !== undefined) : [];
  const all = withGpu.length > 0 ? "labels, taints and GPUs" : "labels and taints";
  return verifyCheck(cluster, {
    id: "marks",
    title: `${all} of the nodes`,
    until: "every node has the labels, taints and GPUs of the config",
    look: async (see) => {
      const seen = await see.kubernetesNodes();
      const problems = [...markProblems(seen, nodes), ...gpuProblems(seen, withGpu)];
      return orFine(problemFindings(problems, "NODE_MARKS"), "NODE_MARKS", `every node has the ${all} of the config`);
    },
  });
}

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
