import type { Lab } from "../kernel/kernel.ts";

/**
 * What the lab's Kubernetes sees of the lab's Talos machines: everything the components on a node were started with. The Talos service gives
 * it out (`lab.service<TalosLab>("talos").nodes(lab)`), computed from its state whenever a machine has changed; the Kubernetes service keeps nothing of it.
 */
export interface TalosLab {
  nodes(lab: Lab): readonly NodeView[];
}

/** A machine that has a config and is switched on and booted. */
export interface NodeView {
  /** cluster.id of its config: nodes with the same one are one cluster. */
  cluster: string;
  clusterName: string;
  /** As it registers in Kubernetes. */
  name: string;
  address: string;
  /** The one its kubelet gives out. */
  nodeIp: string;
  role: "controlplane" | "worker";
  /** SMBIOS. */
  machineId: string;
  bootId: string;
  /** "v1.13.9" */
  talos: string;
  kernel: string;
  cpus: number;
  memoryMiB: number;
  diskGiB: number;
  /** Of its file system, what pods that look at their host read. */
  files?: Readonly<Record<string, string>>;
  kubelet: {
    /** And it gets through to an API server. */
    running: boolean;
    /** "v1.36.3", from its image. */
    version: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
    taints: readonly { key: string; value?: string; effect: string }[];
    /** Somebody else says when its node may be used: a cloud controller. */
    externalCloud?: true;
    /** It asks the cluster for its serving certificate, and renews it. */
    rotatesServerCertificate?: true;
  };
  /** Of a control plane. */
  controlPlane?: ControlPlaneView;
}

export interface ControlPlaneView {
  /** etcd runs here and the cluster has quorum: the API server can answer. */
  etcd: boolean;
  /**
   * Which etcd's data it has: given anew at each bootstrap and kept by the members that join. A cluster bootstrapped again after its data
   * was lost is an empty one; empty text while there is none.
   */
  etcdCluster: string;
  /** "https://10.10.0.5:6443" */
  endpoint: string;
  /** An address of the cluster that this node answers for at the moment. */
  vip?: string;
  /** All PEM. */
  ca: { certificate: string; key: string };
  aggregatorCa: { certificate: string };
  serviceAccountKey: string;
  /** More names for the API server's certificate. */
  certSans: readonly string[];
  /** "v1.36.3", of the API server's image. */
  kubernetes: string;
  bootstrapToken: string;
  podSubnets: readonly string[];
  serviceSubnets: readonly string[];
  dnsDomain: string;
  cni: "flannel" | "custom" | "none";
  proxy: boolean;
  /** Talos installs CoreDNS. */
  coreDns: boolean;
  /** Ordinary pods may run on control planes. */
  schedulable: boolean;
  /** PodSecurity as the config sets it up. */
  podSecurity: { enforce: "privileged" | "baseline" | "restricted"; exemptNamespaces: readonly string[] };
  /** Pods of these namespaces may ask for Talos's API, with these roles. */
  talosAccess?: { namespaces: readonly string[]; roles: readonly string[] };
  /** cluster.inlineManifests, as YAML texts. */
  inlineManifests: readonly { name: string; contents: string }[];
}

/**
 * Scheduled by the Talos service, with no delay, whenever something in the view has changed: the Kubernetes service handles it when it is
 * part of the lab (`lab.handles`).
 */
export const NODES_CHANGED = "talos.nodes-changed";

/**
 * What the Talos machines see of Kubernetes, if the Kubernetes service tells: a node as the API server has it. Without it every node whose
 * kubelet runs counts as ready.
 */
export interface KubernetesLab {
  node?(lab: Lab, cluster: string, name: string): KubernetesNode | undefined;
  /** The keys of a cluster as they are in its etcd; undefined for an etcd that no API server has used yet. */
  stored?(lab: Lab, cluster: string, etcdCluster: string): StoredKeys | undefined;
}

export interface StoredKeys {
  /** The last one given out. */
  revision: number;
  keys: readonly StoredKey[];
}

export interface StoredKey {
  /** "/registry/pods/default/web-1" */
  key: string;
  value: string;
  /** Of its last change. */
  revision: number;
}

/** For the Kubernetes service to schedule when what `node` says has changed: Talos tells those who wait for a node's readiness. */
export const KUBERNETES_CHANGED = "talos.kubernetes-changed";

export interface KubernetesNode {
  ready: boolean;
  unschedulable: boolean;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  podCIDRs: readonly string[];
}
