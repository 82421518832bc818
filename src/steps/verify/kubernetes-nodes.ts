import { type Check, check } from "../../engine/step.ts";
import { cordonedNodes, membershipProblems, roleProblems, unreadyNodes, versionProblems } from "../../kubernetes/health.ts";
import type { Node } from "../../kubernetes/objects.ts";
import type { Cluster } from "./checks.ts";
import { eventually } from "./eventually.ts";
import { asFindings } from "./problem-findings.ts";

/** Kubernetes has the nodes of the config and no others, with the right roles and versions, Ready. */
export function kubernetesNodes({ env, kubernetes, after }: Cluster): Check {
  const { nodes, cluster } = env.config;
  return check({
    id: "verify/nodes",
    stage: "verify",
    title: `${nodes.length} Kubernetes nodes`,
    needs: after,
    run: (c) =>
      eventually("every node is Ready", c, async () => {
        const seen = await kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, c.signal);
        const problems = [
          ...membershipProblems(seen, nodes),
          ...(cluster.cni === "none" ? [] : unreadyNodes(seen, nodes)),
          ...roleProblems(seen, nodes),
          ...versionProblems(seen, nodes, cluster.kubernetes),
          ...cordonedNodes(seen, nodes),
        ];
        return asFindings(
          nodes.map((node) => node.name),
          problems,
          "NODE",
          `${cluster.cni === "none" ? "joined" : "Ready"}, Kubernetes ${cluster.kubernetes}`,
        );
      }),
  });
}
