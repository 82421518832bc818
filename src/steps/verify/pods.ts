import type { Check } from "../../engine/step.ts";
import {
  CONTROL_PLANE_APPS,
  controlPlaneProblems,
  coreDnsProblems,
  kubeProxyProblems,
  systemPodProblems,
} from "../../kubernetes/health.ts";
import { missingStaticPods, STATIC_PODS } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";
import { SYSTEM_NAMESPACE } from "./looks.ts";
import { problemFindings } from "./problem-findings.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Talos' check 11: the nodes report the static pods of the control plane as running. */
export function staticPods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "static-pods",
    title: "static pods",
    until: "every control plane runs its static pods",
    look: async (see, { signal }) => {
      const asked = await see.each((api) => api.resources(STATIC_PODS, signal), see.controlPlanes);
      return orFine(missingStaticPods(asked, CONTROL_PLANE_APPS), "STATIC_PODS", "every control plane runs its static pods");
    },
  });
}

/** Talos' check 12: Kubernetes shows the control plane's pods, and they are ready. */
export function controlPlanePods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "control-plane-pods",
    title: "pods of the control plane",
    until: "the control plane's pods are ready",
    look: async (see, { world }) => {
      const [pods, nodes] = await Promise.all([see.pods(), see.kubernetesNodes()]);
      const problems = controlPlaneProblems(pods, nodes, see.nodes, world.clock.now());
      return orFine(problemFindings(problems, "SYSTEM_POD"), "SYSTEM_POD", "the control plane's pods are ready");
    },
  });
}

/** Talos' check 14. */
export function kubeProxy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "kube-proxy",
    title: "kube-proxy",
    until: "kube-proxy is ready on every node",
    look: async (see, { world }) => {
      const [sets, pods, nodes] = await Promise.all([see.daemonSets(), see.pods(), see.kubernetesNodes()]);
      const problems = kubeProxyProblems(sets, pods, { nodes, now: world.clock.now() });
      if (!problems) return [{ level: "ok", code: "KUBE_PROXY", message: "there is no kube-proxy: the CNI does its work" }];
      return orFine(problemFindings(problems, "KUBE_PROXY"), "KUBE_PROXY", "kube-proxy is ready on every node");
    },
  });
}

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

/** Checks that all other pods in kube-system run. */
export function systemPods(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "pods",
    title: "system pods",
    until: "the system pods are ready",
    needs: "network",
    look: async (see, { world }) => {
      const [pods, nodes] = await Promise.all([see.pods(), see.kubernetesNodes()]);
      if (await lacksNetwork(cluster, see)) return leftOut("system pods");
      return orFine(
        problemFindings(systemPodProblems(pods, { nodes, now: world.clock.now() }), "SYSTEM_POD"),
        "SYSTEM_POD",
        `${SYSTEM_NAMESPACE}: ${pods.length} pods, all ready`,
      );
    },
  });
}
