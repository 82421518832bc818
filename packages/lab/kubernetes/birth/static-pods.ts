import { createObject, quietly } from "../api/write.ts";
import type { ServerView, SimulatedCluster } from "../cluster.ts";
import { contentHash, timestamp } from "../identity.ts";
import type { Manifest } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { read, remove } from "../store/store.ts";

const PODS = builtin("pods");
const COMPONENTS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/** Mirrors the control plane's static pods, as each kubelet does at its API server. */
export function mirrorStaticPods(cluster: SimulatedCluster): void {
  for (const server of cluster.servers) {
    const node = read(cluster, builtin("nodes"), undefined, server.name);
    if (!node || !server.kubelet.running) continue;
    for (const component of COMPONENTS) {
      const pod = mirror(cluster, server, component, node.metadata.uid);
      const known = read(cluster, PODS, "kube-system", pod.metadata.name ?? "");
      const hash = "kubernetes.io/config.hash";
      const same = known?.metadata.annotations?.[hash] === pod.metadata.annotations?.[hash];
      // A pod of another version is a new pod with the same name.
      if (known && !same) remove(cluster, PODS, known);
      if (!same) createObject(cluster, PODS, "kube-system", pod, quietly());
    }
  }
}

function mirror(cluster: SimulatedCluster, server: ServerView, component: string, nodeUid: string): Manifest {
  const hash = contentHash([component, server.controlPlane.kubernetes, server.machineId], 32);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${component}-${server.name}`,
      namespace: "kube-system",
      labels: {
        tier: "control-plane",
        "k8s-app": component,
        component,
        "app.kubernetes.io/name": component,
        "app.kubernetes.io/component": "control-plane",
        "app.kubernetes.io/managed-by": "Talos",
        "app.kubernetes.io/version": server.controlPlane.kubernetes,
      },
      annotations: {
        "kubernetes.io/config.hash": hash,
        "kubernetes.io/config.mirror": hash,
        "kubernetes.io/config.seen": timestamp(cluster.state.bornAt),
        "kubernetes.io/config.source": "http",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: server.name, uid: nodeUid, controller: true }],
    },
    spec: {
      nodeName: server.name,
      hostNetwork: true,
      priorityClassName: "system-cluster-critical",
      tolerations: [{ operator: "Exists", effect: "NoExecute" }],
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: component,
          image: `registry.k8s.io/${component}:${server.controlPlane.kubernetes}`,
          command: [`/usr/local/bin/${component}`],
          resources: { requests: { cpu: component === "kube-apiserver" ? "200m" : "50m", memory: "512Mi" } },
        },
      ],
    },
  };
}
