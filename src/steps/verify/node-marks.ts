import type { Check } from "../../engine/step.ts";
import { gpuProblems, markProblems } from "../../kubernetes/health-marks.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

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
