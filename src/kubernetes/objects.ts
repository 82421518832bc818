import type { Json } from "@talosmith/lib/json.ts";

/*
 * Kubernetes objects, with the fields we read or write and no others. What the server may leave out is optional, whatever its own
 * types promise.
 */

export interface ObjectMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  resourceVersion?: string;
  /** Increases with each change of the spec. */
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  /** Finalizers that delay its deletion. */
  finalizers?: readonly string[];
  /** The owners of its fields. */
  managedFields?: { manager?: string; operation?: string }[];
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface StatusCondition {
  type: string;
  /** "True", "False" or "Unknown". */
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Node extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: {
    conditions?: StatusCondition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: { kubeletVersion?: string; bootID?: string };
    /** Resources available to pods: "nvidia.com/gpu" → "1". */
    allocatable?: Record<string, string>;
  };
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Pod extends KubernetesObject {
  spec?: { nodeName?: string; volumes?: { emptyDir?: object }[] };
  status?: {
    /** Pending, Running, Succeeded, Failed, Unknown */
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    conditions?: StatusCondition[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: { startedAt?: string };
    terminated?: { exitCode: number; reason?: string; message?: string };
  };
}

export interface DaemonSet extends KubernetesObject {
  spec?: { updateStrategy?: { type?: string } };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberReady?: number;
  };
}

export interface Deployment extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { observedGeneration?: number; replicas?: number; updatedReplicas?: number; readyReplicas?: number };
}

export interface StatefulSet extends KubernetesObject {
  spec?: { replicas?: number; updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } } };
  status?: {
    observedGeneration?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
  };
}

export interface Namespace extends KubernetesObject {
  status?: { phase?: string };
}

export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

export interface Secret extends KubernetesObject {
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean;
}

export interface ClusterRoleBinding extends KubernetesObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects: { kind: string; name: string; namespace: string }[];
}

export interface Job extends KubernetesObject {
  spec: {
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    template: { metadata?: Partial<ObjectMeta>; spec: PodSpec };
  };
  status?: { active?: number; succeeded?: number; failed?: number; conditions?: StatusCondition[] };
}

/** Not interpreted: the server validates it. */
export type PodSpec = { readonly [key: string]: Json };
