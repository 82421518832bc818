import type { Lab } from "../kernel/kernel.ts";
import type { WrittenFiles } from "./exec/files.ts";
import type { KubeObject } from "./objects.ts";

export const KUBERNETES = "kubernetes";

export interface KubernetesState {
  /** By the etcd that holds them: "<cluster id>/<etcd cluster>". */
  clusters: Record<string, ClusterState>;
  /** PEM, of every API server of the lab; empty until the lab starts. */
  serverKey: string;
}

export interface ClusterState {
  /** The last resourceVersion given out. */
  revision: number;
  /** By resource ("pods", "deployments.apps"), then by "namespace/name". */
  objects: Record<string, Record<string, KubeObject>>;
  /** The last changes, oldest first: what a watch that comes late is told. */
  history: HistoryEntry[];
  /** Watches from before this revision are answered with 410. */
  compacted: number;
  /** Of containers, by "<pod uid>/<container>/<restart>". */
  logs: Record<string, LogLine[]>;
  /** Files that commands wrote into containers, by the same key. */
  written?: Record<string, WrittenFiles>;
  /** What kubelets know of their pods, by uid. */
  kubelet: Record<string, PodRecord>;
  /** What is known of machines beyond their Node objects, by node name. */
  machines: Record<string, MachineRecord>;
  /** Of the manifests Talos last applied: it acts again when they are others. */
  manifests?: string;
  /** When the controllers look again; absent when nothing calls them. */
  nextLook?: number;
  bornAt: number;
}

export interface MachineRecord {
  /** The boot in which its kubelet registered: it does so once. */
  bootId: string;
  /** Since when nothing is heard of it. */
  lostAt?: number;
  /** The boot in which a CNI put its config there. */
  networkOf?: string;
  /** Images that were pulled. */
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

/** A pod on its node. */
export interface PodRecord {
  /** The boot its containers were started in: after another one they are gone. */
  bootId: string;
  containers: Record<string, ContainerRecord>;
  /** When a pod that is told to go is gone. */
  goneAt?: number;
}

export type ContainerRecord = { restarts: number /** How the one before ended. */; last?: Ended } & (
  | { is: "pulling"; until: number }
  | { is: "unpullable"; since: number /** Its event was told. */; said?: boolean }
  | { is: "running"; since: number; readyAt?: number }
  | ({ is: "ended" } & Ended)
  | ({ is: "backing-off"; until: number } & Ended)
);

export interface Ended {
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
  /** It had worked for so long that nobody remembers how often it was started before. */
  ranLong?: true;
}

export function kubernetesState(lab: Lab): KubernetesState {
  return lab.state<KubernetesState>(KUBERNETES);
}

export function emptyCluster(bornAt: number): ClusterState {
  return { revision: 1, objects: {}, history: [], compacted: 0, logs: {}, kubelet: {}, machines: {}, bornAt };
}
