import { type Called, configOf } from "../api/caller.ts";
import { type MachineConfig, textAt, value } from "../config/machine-config.ts";
import { etcdImage, kubeletImage } from "../inside/containers.ts";
import { STATIC_POD_PORT } from "../inside/sockets.ts";
import { addressesOf, networkOf, primaryAddress } from "../machine/network.ts";
import { encodeSpec } from "./encode.ts";
import { cloudOf, controlPlane, dnsAddress, extraArgs, image, STATIC_PODS } from "./kubernetes.ts";
import { layout } from "./layout.ts";
import { yamlOf } from "./print.ts";
import { described, type Item, type ResourceSource } from "./resource.ts";
import { serviceSubnets } from "./subnets.ts";

/** The desired state of Kubernetes and etcd on a node, as its controllers store it; the actual state is in kubernetes.ts. */
export const kubernetesSpecSources: readonly ResourceSource[] = [
  described(
    "EtcdSpecs.etcd.talos.dev",
    "etcd.SpecController",
    `1 name text  2 advertisedAddresses ip*  5 listenPeerAddresses ip*  6 listenClientAddresses ip*  3 image text
     4@12-12 extraArgs map  7@13 extraArgs args`,
    (called) => {
      const config = controlPlane(called);
      const address = primaryAddress(called.machine);
      if (!config || address === undefined) return [];
      const any = addressesOf(called.machine).some((one) => one.includes(":")) ? "::" : "0.0.0.0";
      const spec = {
        name: networkOf(called.machine).hostname,
        advertisedAddresses: [address],
        listenPeerAddresses: [any],
        listenClientAddresses: [any],
        image: etcdImage(called, config),
        extraArgs: extraArgs(called, config, "cluster.etcd.extraArgs"),
      };
      return [["etcd", spec]];
    },
  ),
  described(
    "KubeletConfigs.kubernetes.talos.dev",
    "k8s.KubeletConfigController",
    `1 image text  2 clusterDNS text*  3 clusterDomain text  4@12-12 extraArgs? map  15@13 extraArgs? args  6 extraConfig? struct
     7 cloudProviderExternal bool  8 defaultRuntimeSeccompEnabled bool  9 skipNodeRegistration bool  10 staticPodListURL text
     11 disableManifestsDirectory bool  12 enableFSQuotaMonitoring bool  14@12-13 allowSchedulingOnControlPlane bool`,
    (called) => {
      const config = configOf(called);
      if (!config) return [];
      const isTrue = (path: string) => value(config, path) === true;
      const spec = {
        image: kubeletImage(called, config),
        clusterDNS: serviceSubnets(config).map(dnsAddress),
        clusterDomain: textAt(config, "cluster.network.dnsDomain") ?? "cluster.local",
        extraArgs: extraArgs(called, config, "machine.kubelet.extraArgs"),
        extraConfig: value(config, "machine.kubelet.extraConfig"),
        cloudProviderExternal: cloudOf(config) !== "",
        defaultRuntimeSeccompEnabled: isTrue("machine.kubelet.defaultRuntimeSeccompProfileEnabled"),
        staticPodListURL: `http://127.0.0.1:${STATIC_POD_PORT}`,
        disableManifestsDirectory: isTrue("machine.kubelet.disableManifestsDirectory"),
        enableFSQuotaMonitoring: isTrue("machine.features.diskQuotaSupport"),
        allowSchedulingOnControlPlane: isTrue("cluster.allowSchedulingOnControlPlanes"),
      };
      return [["kubelet", spec]];
    },
  ),
  described("NodeLabelSpecs.k8s.talos.dev", "k8s.NodeLabelSpecController", "1 key text  2 value text", (called) => {
    const config = configOf(called);
    if (!config) return [];
    const role = config.role === "controlplane" ? { "node-role.kubernetes.io/control-plane": "" } : {};
    const labels = { ...role, ...((value(config, "machine.nodeLabels") ?? {}) as Record<string, string>) };
    return Object.entries(labels).map(([key, text]) => [key, { key, value: text }]);
  }),
  {
    type: "StaticPods.kubernetes.talos.dev",
    owner: "k8s.ControlPlaneStaticPodController",
    items: (called) => {
      const config = controlPlane(called);
      return config ? STATIC_PODS.map((name) => staticPod(called, config, name)) : [];
    },
  },
];

/** Config paths of images. */
const IMAGES: Record<string, string> = {
  "kube-apiserver": "cluster.apiServer.image",
  "kube-controller-manager": "cluster.controllerManager.image",
  "kube-scheduler": "cluster.scheduler.image",
};

const POD = layout("1 pod struct");

/** Its YAML contains only the pod. */
function staticPod(called: Called, config: MachineConfig, name: string): Item {
  const container = { name, image: image(called, config, IMAGES[name] ?? "", `registry.k8s.io/${name}`) };
  const labels = {
    "app.kubernetes.io/component": "control-plane",
    "app.kubernetes.io/managed-by": "Talos",
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/version": container.image.split(":v").at(-1) ?? "",
    component: name,
    "k8s-app": name,
    tier: "control-plane",
  };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "kube-system", labels },
    spec: { containers: [container], hostNetwork: true, priorityClassName: "system-cluster-critical" },
  };
  return { id: name, yaml: yamlOf(pod), proto: encodeSpec(POD, { pod }, 12) };
}
