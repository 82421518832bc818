import { type Check, check } from "../../engine/step.ts";
import { controlPlaneProblems, coreDnsProblems, kubeProxyProblems, systemPodProblems } from "../../kubernetes/health.ts";
import type { DaemonSet, Deployment, Node, Pod } from "../../kubernetes/objects.ts";
import type { Cluster } from "./checks.ts";
import { eventually } from "./eventually.ts";
import { asFindings } from "./problem-findings.ts";

const NAMESPACE = "kube-system";

/** The control plane's own pods run on every control plane, and everything in kube-system is ready. */
export function systemPods({ env, kubernetes, after }: Cluster): Check {
  const { nodes, cluster } = env.config;
  return check({
    id: "verify/pods",
    stage: "verify",
    title: "system pods",
    needs: after,
    run: (c) =>
      eventually("the system pods are ready", c, async () => {
        const { signal } = c;
        const [pods, seen, sets, deployments] = await Promise.all([
          kubernetes.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace: NAMESPACE }, signal),
          kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal),
          kubernetes.list<DaemonSet>({ apiVersion: "apps/v1", kind: "DaemonSet", namespace: NAMESPACE }, signal),
          kubernetes.list<Deployment>({ apiVersion: "apps/v1", kind: "Deployment", namespace: NAMESPACE }, signal),
        ]);
        const ownPods = controlPlaneProblems(pods, seen, nodes);
        // Without a pod network only what uses the hosts' can run.
        const others = [...coreDnsProblems(deployments, pods), ...kubeProxyProblems(sets, pods), ...systemPodProblems(pods)];
        const problems = cluster.cni === "none" ? ownPods : [...ownPods, ...others];
        return asFindings([NAMESPACE], problems, "SYSTEM_POD", `${pods.length} pods, all as they should be`);
      }),
  });
}
