import type { Json } from "../../../lib/json.ts";
import { type Called, configOf } from "../api/caller.ts";
import { type MachineConfig, textAt, value } from "../config/machine-config.ts";
import { etcdImage, kubeletImage } from "../inside/containers.ts";
import { networkOf, primaryAddress } from "../machine/network.ts";
import { encodeSpec } from "./encode.ts";
import { cloudOf, cniOf, controlPlane, dnsAddress, extraArgs, image, STATIC_PODS } from "./kubernetes.ts";
import { layout } from "./layout.ts";
import { yamlOf } from "./print.ts";
import { described, type Item, type ResourceSource } from "./resource.ts";
import { serviceSubnets } from "./subnets.ts";

/** What a node is to run of Kubernetes and etcd, as its controllers wrote it down; what became of it is in kubernetes.ts. */
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
      const spec = {
        name: networkOf(called.machine).hostname,
        advertisedAddresses: [address],
        listenPeerAddresses: ["::"],
        listenClientAddresses: ["::"],
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
        staticPodListURL: "http://127.0.0.1:43185",
        disableManifestsDirectory: isTrue("machine.kubelet.disableManifestsDirectory"),
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
  {
    type: "Manifests.kubernetes.talos.dev",
    owner: "k8s.ManifestController",
    items: (called) => {
      const config = controlPlane(called);
      return config ? manifestsOf(config).map(([id, ...objects]) => manifest(id, objects)) : [];
    },
  },
];

/** Where the config names another image for it. */
const IMAGES: Record<string, string> = {
  "kube-apiserver": "cluster.apiServer.image",
  "kube-controller-manager": "cluster.controllerManager.image",
  "kube-scheduler": "cluster.scheduler.image",
};

const POD = layout("1 pod struct");

/** In YAML it is the pod and nothing else. */
function staticPod(called: Called, config: MachineConfig, name: string): Item {
  const labels = { "app.kubernetes.io/name": name, "k8s-app": name, tier: "control-plane" };
  const container = { name, image: image(called, config, IMAGES[name] ?? "", `registry.k8s.io/${name}`) };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "kube-system", labels },
    spec: { containers: [container], hostNetwork: true, priorityClassName: "system-cluster-critical" },
  };
  return { id: name, yaml: yamlOf(pod), proto: encodeSpec(POD, { pod }, 12) };
}

type Manifest = readonly [id: string, ...objects: Json[]];

function manifestsOf(config: MachineConfig): Manifest[] {
  const of = (apiVersion: string, kind: string, name: string, namespace?: string): Json => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  });
  const [tokenId = ""] = (textAt(config, "cluster.token") ?? "").split(".");
  const rbac = "rbac.authorization.k8s.io/v1";
  const inSystem = (kind: string, name: string) => of("apps/v1", kind, name, "kube-system");
  return [
    ["00-kubelet-bootstrapping-token", of("v1", "Secret", `bootstrap-token-${tokenId}`, "kube-system")],
    ["01-csr-approver-role-binding", of(rbac, "ClusterRoleBinding", "system-bootstrap-approve-node-client-csr")],
    ["01-csr-node-bootstrap", of(rbac, "ClusterRoleBinding", "system-bootstrap-node-bootstrapper")],
    ["01-csr-renewal-role-binding", of(rbac, "ClusterRoleBinding", "system-bootstrap-node-renewal")],
    ...(cniOf(config) === "flannel" ? ([["05-flannel", inSystem("DaemonSet", "kube-flannel")]] as Manifest[]) : []),
    ...(value(config, "cluster.proxy.disabled") === true
      ? []
      : ([["10-kube-proxy", inSystem("DaemonSet", "kube-proxy")]] as Manifest[])),
    ...(value(config, "cluster.coreDNS.disabled") === true
      ? []
      : ([
          ["11-core-dns", inSystem("Deployment", "coredns")],
          ["11-core-dns-svc", of("v1", "Service", "kube-dns", "kube-system")],
        ] as Manifest[])),
    ["11-kube-config-in-cluster", of("v1", "ConfigMap", "kubeconfig-in-cluster", "kube-system")],
  ];
}

const ITEMS = layout("1 items { 1 object struct }*");

/** In YAML a list of objects. */
function manifest(id: string, objects: readonly Json[]): Item {
  const items = objects.map((object) => ({ object }));
  return { id, yaml: yamlOf(objects), proto: encodeSpec(ITEMS, { items }, 12) };
}
