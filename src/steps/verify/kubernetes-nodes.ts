import { type Check, check, type Finding } from "../../engine/step.ts";
import {
  cordonedNodes,
  membershipProblems,
  type Problem,
  roleProblems,
  unreadyNodes,
  versionProblems,
} from "../../kubernetes/health.ts";
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
          ...cordonedNodes(seen, nodes),
        ];
        const others = versionProblems(seen, nodes, cluster.kubernetes);
        return [
          ...asFindings(
            nodes.map((node) => node.name),
            problems,
            "NODE",
            cluster.cni === "none" ? "joined" : "Ready",
          ),
          ...others.map(anotherRelease),
          ...(others.length === 0 ? [allRun(cluster.kubernetes)] : []),
        ];
      }),
  });
}

function allRun(version: string): Finding {
  return { level: "ok", code: "KUBERNETES_VERSION", message: `all run Kubernetes ${version}` };
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
