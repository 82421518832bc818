import type { Lab } from "../kernel/kernel.ts";

/**
 * The Talos machines as the lab's Kubernetes sees them: everything that the components of a node were started with. The Talos service provides it
 * (`lab.service<TalosLab>("talos").nodes(lab)`), computed from its state whenever a machine has changed; the Kubernetes service stores none of it.
 */
export interface TalosLab {
  nodes(lab: Lab): readonly NodeView[];
}

/** A running machine with a config. */
export interface NodeView {
  /** cluster.id of its config: nodes with the same id are one cluster. */
  cluster: string;
  clusterName: string;
  /** Its name in Kubernetes. */
  name: string;
  address: string;
  /** The address that its kubelet reports. */
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
  /** Files of the machine that pods can read. */
  files?: Readonly<Record<string, string>>;
  kubelet: {
    /** It is running and reaches an API server. */
    running: boolean;
    /** "v1.36.3", from its image. */
    version: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
    taints: readonly { key: string; value?: string; effect: string }[];
    /** A cloud controller decides when its node may be used. */
    externalCloud?: true;
    /** It requests its serving certificate from the cluster, and renews it. */
    rotatesServerCertificate?: true;
  };
  /** Set for a control plane. */
  controlPlane?: ControlPlaneView;
}

export interface ControlPlaneView {
  /** etcd is running here and the cluster has quorum: the API server can answer. */
  etcd: boolean;
  /**
   * Identifies the etcd data: a new id at each bootstrap, shared by the members that join. A cluster bootstrapped again after losing its data is
   * empty; "" while there is no data.
   */
  etcdCluster: string;
  /** "https://10.10.0.5:6443" */
  endpoint: string;
  /** A virtual address that this node currently holds. */
  vip?: string;
  /** All PEM. */
  ca: { certificate: string; key: string };
  aggregatorCa: { certificate: string };
  serviceAccountKey: string;
  /** Additional names in the API server's certificate. */
  certSans: readonly string[];
  /** "v1.36.3", of the API server's image. */
  kubernetes: string;
  bootstrapToken: string;
  podSubnets: readonly string[];
  serviceSubnets: readonly string[];
  dnsDomain: string;
  cni: "flannel" | "custom" | "none";
  proxy: boolean;
  /** Whether Talos installs CoreDNS. */
  coreDns: boolean;
  /** Whether ordinary pods may run on control planes. */
  schedulable: boolean;
  /** PodSecurity as configured. */
  podSecurity: { enforce: "privileged" | "baseline" | "restricted"; exemptNamespaces: readonly string[] };
  /** Pods of these namespaces may request access to Talos's API, with these roles. */
  talosAccess?: { namespaces: readonly string[]; roles: readonly string[] };
  /** cluster.inlineManifests, as YAML texts. */
  inlineManifests: readonly { name: string; contents: string }[];
}

/**
 * Scheduled by the Talos service without delay whenever the view has changed; the Kubernetes service handles it if it is part of the lab
 * (`lab.handles`).
 */
export const NODES_CHANGED = "talos.nodes-changed";

/**
 * The Kubernetes state that Talos machines use, provided by the Kubernetes service. Without it, every node with a running kubelet counts as ready.
 */
export interface KubernetesLab {
  node?(lab: Lab, cluster: string, name: string): KubernetesNode | undefined;
  /** The keys of a cluster in its etcd; undefined for an etcd that no API server has used yet. */
  stored?(lab: Lab, cluster: string, etcdCluster: string): StoredKeys | undefined;
}

export interface StoredKeys {
  /** The last assigned revision. */
  revision: number;
  keys: readonly StoredKey[];
}

export interface StoredKey {
  /** "/registry/pods/default/web-1" */
  key: string;
  value: string;
  /** Revision of its last change. */
  revision: number;
}

/** Scheduled by the Kubernetes service when the result of `node` has changed: Talos informs calls that wait for a node's readiness. */
export const KUBERNETES_CHANGED = "talos.kubernetes-changed";

export interface KubernetesNode {
  ready: boolean;
  unschedulable: boolean;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  podCIDRs: readonly string[];
}
