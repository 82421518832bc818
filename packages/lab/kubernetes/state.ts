import type { Lab } from "../kernel/kernel.ts";
import type { WrittenFiles } from "./exec/files.ts";
import type { KubeObject } from "./objects.ts";

export const KUBERNETES = "kubernetes";

export interface KubernetesState {
  /** By the etcd that holds their state: "<cluster id>/<etcd cluster>". */
  clusters: Record<string, ClusterState>;
  /** Private key of every API server of the lab, PEM; empty until the lab starts. */
  serverKey: string;
}

export interface ClusterState {
  /** The last assigned resourceVersion. */
  revision: number;
  /** By resource ("pods", "deployments.apps"), then by "namespace/name". */
  objects: Record<string, Record<string, KubeObject>>;
  /** The last changes, oldest first: a watch that starts late gets them. */
  history: HistoryEntry[];
  /** Watches from before this revision get 410. */
  compacted: number;
  /** Log lines of containers, by "<pod uid>/<container>/<restart>". */
  logs: Record<string, LogLine[]>;
  /** Files that commands wrote into containers, by the same key. */
  written?: Record<string, WrittenFiles>;
  /** The kubelets' records of their pods, by uid. */
  kubelet: Record<string, PodRecord>;
  /** Records of machines besides their Node objects, by node name. */
  machines: Record<string, MachineRecord>;
  /** Hash of the manifests that Talos applied last: it applies changed ones again. */
  manifests?: string;
  /** Time of the next controller run; absent when none is scheduled. */
  nextLook?: number;
  bornAt: number;
}

export interface MachineRecord {
  /** The boot in which its kubelet registered: once per boot. */
  bootId: string;
  /** Time of the last heartbeat. */
  lostAt?: number;
  /** The boot in which a CNI installed its config. */
  networkOf?: string;
  /** Pulled images. */
  images: string[];
}

export interface HistoryEntry {
  revision: number;
  resource: string;
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
  before?: KubeObject;
}

export interface LogLine {
  at: number;
  text: string;
}

/** The kubelet's record of a pod. */
export interface PodRecord {
  /** The boot in which its containers were started: they do not survive the next one. */
  bootId: string;
  containers: Record<string, ContainerRecord>;
  /** Time at which a deleted pod is gone. */
  goneAt?: number;
}

export type ContainerRecord = { restarts: number /** The end of the previous run. */; last?: Ended } & (
  | { is: "pulling"; until: number }
  | { is: "unpullable"; since: number /** The event was recorded. */; said?: boolean }
  | { is: "running"; since: number; readyAt?: number }
  | ({ is: "ended" } & Ended)
  | ({ is: "backing-off"; until: number } & Ended)
);

export interface Ended {
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
  /** It ran long enough to reset the restart delay. */
  ranLong?: true;
}

export function kubernetesState(lab: Lab): KubernetesState {
  return lab.state<KubernetesState>(KUBERNETES);
}

export function emptyCluster(bornAt: number): ClusterState {
  return { revision: 1, objects: {}, history: [], compacted: 0, logs: {}, kubelet: {}, machines: {}, bornAt };
}
