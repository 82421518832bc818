import type { Json } from "@talosmith/lib/json.ts";
import { type MachineConfig, textAt, value } from "../config/machine-config.ts";
import { encodeSpec } from "./encode.ts";
import { cniOf, controlPlane } from "./kubernetes.ts";
import { layout } from "./layout.ts";
import { yamlOf } from "./print.ts";
import type { Item, ResourceSource } from "./resource.ts";

const RBAC = "rbac.authorization.k8s.io";
const SYSTEM = "kube-system";

/** The manifests that a control plane applies. For most objects the lab has only the names. */
export const manifestSource: ResourceSource = {
  type: "Manifests.kubernetes.talos.dev",
  owner: "k8s.ManifestController",
  items: (called) => {
    const config = controlPlane(called);
    return config ? manifestsOf(config).map(([id, ...objects]) => manifest(id, objects)) : [];
  },
};

type Manifest = readonly [id: string, ...objects: Json[]];

function manifestsOf(config: MachineConfig): Manifest[] {
  const [tokenId = ""] = (textAt(config, "cluster.token") ?? "").split(".");
  const signing = "system:certificates.k8s.io:certificatesigningrequests";
  const [joining, nodes] = [group("system:bootstrappers:nodes"), group("system:nodes")];
  const flannel: Manifest = [
    "05-flannel",
    clusterRole("flannel"),
    binding("flannel", "flannel", account("flannel")),
    object("v1", "ServiceAccount", "flannel", SYSTEM),
    object("v1", "ConfigMap", "kube-flannel-cfg", SYSTEM),
    object("apps/v1", "DaemonSet", "kube-flannel", SYSTEM),
  ];
  const proxy: Manifest = [
    "10-kube-proxy",
    object("apps/v1", "DaemonSet", "kube-proxy", SYSTEM),
    object("v1", "ServiceAccount", "kube-proxy", SYSTEM),
    binding("kube-proxy", "system:node-proxier", account("kube-proxy")),
  ];
  const dns: Manifest[] = [
    [
      "11-core-dns",
      object("v1", "ServiceAccount", "coredns", SYSTEM),
      clusterRole("system:coredns"),
      binding("system:coredns", "system:coredns", account("coredns")),
      object("v1", "ConfigMap", "coredns", SYSTEM),
      object("apps/v1", "Deployment", "coredns", SYSTEM),
    ],
    ["11-core-dns-svc", object("v1", "Service", "kube-dns", SYSTEM)],
  ];
  const isOff = (path: string) => value(config, path) === true;
  return [
    ["00-kubelet-bootstrapping-token", object("v1", "Secret", `bootstrap-token-${tokenId}`, SYSTEM)],
    ["01-csr-approver-role-binding", binding("system-bootstrap-approve-node-client-csr", `${signing}:nodeclient`, joining)],
    ["01-csr-node-bootstrap", binding("system-bootstrap-node-bootstrapper", "system:node-bootstrapper", joining, nodes)],
    ["01-csr-renewal-role-binding", binding("system-bootstrap-node-renewal", `${signing}:selfnodeclient`, nodes)],
    ...(cniOf(config) === "flannel" ? [flannel] : []),
    ...(isOff("cluster.proxy.disabled") ? [] : [proxy]),
    ...(isOff("cluster.coreDNS.disabled") ? [] : dns),
    ["11-kube-config-in-cluster", object("v1", "ConfigMap", "kubeconfig-in-cluster", SYSTEM)],
    [
      "11-talos-node-rbac-template",
      binding("system:talos-nodes", "system:talos-nodes", nodes),
      clusterRole("system:talos-nodes", {
        apiGroups: ["discovery.k8s.io"],
        resources: ["endpointslices"],
        verbs: ["get", "list", "watch"],
      }),
    ],
  ];
}

function object(apiVersion: string, kind: string, name: string, namespace?: string) {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

const clusterRole = (name: string, ...rules: Json[]): Json => ({ ...object(`${RBAC}/v1`, "ClusterRole", name), rules });

function binding(name: string, role: string, ...subjects: Json[]): Json {
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: role };
  return { ...object(`${RBAC}/v1`, "ClusterRoleBinding", name), roleRef, subjects };
}

const group = (name: string): Json => ({ apiGroup: RBAC, kind: "Group", name });
const account = (name: string): Json => ({ kind: "ServiceAccount", name, namespace: SYSTEM });

const ITEMS = layout("1 items { 1 object struct }*");

/** In YAML a list of objects. */
function manifest(id: string, objects: readonly Json[]): Item {
  const items = objects.map((one) => ({ object: one }));
  return { id, yaml: yamlOf(objects), proto: encodeSpec(ITEMS, { items }, 12) };
}
