import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { DaemonSet, Deployment, KubernetesObject, Pod, StatefulSet, StatusCondition } from "./objects.ts";
import { podTrouble } from "./pod-state.ts";

export const WORKLOADS = ["Deployment", "StatefulSet", "DaemonSet"] as const;
export type WorkloadKind = (typeof WORKLOADS)[number];

/** The progress of a workload: `is` of `of` pods are ready and up to date. */
export interface Rollout {
  is: number;
  of: number;
  done: boolean;
}

export function rolloutOf(object: KubernetesObject): Rollout {
  switch (object.kind as WorkloadKind) {
    case "Deployment":
      return deploymentRollout(object as Deployment);
    case "StatefulSet":
      return statefulSetRollout(object as StatefulSet);
    case "DaemonSet":
      return daemonSetRollout(object as DaemonSet);
  }
}

/** Whether all wanted pods are ready and up to date, and old ones are gone. */
function deploymentRollout(deployment: Deployment): Rollout {
  const of = deployment.spec?.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0, replicas = 0 } = deployment.status ?? {};
  const is = Math.min(readyReplicas, updatedReplicas, of);
  return { is, of, done: isSeen(deployment) && is >= of && replicas <= of };
}

/** The rollout of a StatefulSet; one that is updated by hand (OnDelete or a partition) is not waited for. */
function statefulSetRollout(set: StatefulSet): Rollout {
  const { replicas: of = 1, updateStrategy } = set.spec ?? {};
  const byHand = updateStrategy?.type === "OnDelete" || (updateStrategy?.rollingUpdate?.partition ?? 0) > 0;
  const { readyReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = set.status ?? {};
  // updatedReplicas is not maintained once all are updated.
  const updated = byHand || (updateRevision !== undefined && currentRevision === updateRevision) ? of : updatedReplicas;
  const is = Math.min(readyReplicas, updated, of);
  return { is, of, done: isSeen(set) && is >= of };
}

function daemonSetRollout(set: DaemonSet): Rollout {
  const { desiredNumberScheduled: of = 0, numberReady = 0, updatedNumberScheduled = 0 } = set.status ?? {};
  const is = Math.min(numberReady, set.spec?.updateStrategy?.type === "OnDelete" ? of : updatedNumberScheduled, of);
  return { is, of, done: isSeen(set) && is >= of };
}

/** Until its controller has observed the newest generation, the numbers are those of the previous one. */
function isSeen(object: KubernetesObject & { status?: { observedGeneration?: number } }): boolean {
  return (object.status?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
}

/** The problem of a workload's pods: "worker-1: ImagePullBackOff: …", with the first affected pod, if any. */
export interface Trouble {
  words: string;
  pod?: Pod;
}

type Workload = KubernetesObject & {
  spec?: { selector?: { matchLabels?: Record<string, string> } };
  status?: { conditions?: StatusCondition[] };
};

/** The pods that a workload selects. */
export async function podsOf(kube: KubernetesClient, workload: Workload, signal: AbortSignal): Promise<Pod[]> {
  const labels = workload.spec?.selector?.matchLabels;
  const namespace = workload.metadata.namespace ?? "default";
  if (!labels) return [];
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  return kube.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace, labelSelector }, signal);
}

export async function workloadTrouble(
  kube: KubernetesClient,
  workload: Workload,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  for (const pod of pods) {
    const why = podTrouble(pod);
    if (why) return { words: `${pod.spec?.nodeName ?? pod.metadata.name}: ${why}`, pod };
  }
  if (pods.length > 0) return undefined;
  const words = refusedPods(workload) ?? (await refusalEvent(kube, workload, signal));
  return words === undefined ? undefined : { words };
}

/** A Deployment has a condition when its pods are refused. */
function refusedPods({ status }: Workload): string | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === "ReplicaFailure" && is === "True")?.message;
}

/** Other workloads only emit events. */
async function refusalEvent(kube: KubernetesClient, workload: Workload, signal: AbortSignal): Promise<string | undefined> {
  const { name, namespace = "default" } = workload.metadata;
  const fieldSelector = `involvedObject.kind=${workload.kind},involvedObject.name=${name},reason=FailedCreate`;
  const events = await kube.list<ComplaintEvent>({ apiVersion: "v1", kind: "Event", namespace, fieldSelector }, signal);
  const its = events.filter(
    ({ reason, involvedObject }) =>
      reason === "FailedCreate" && involvedObject?.name === name && involvedObject.kind === workload.kind,
  );
  return its.at(-1)?.message;
}

interface ComplaintEvent extends KubernetesObject {
  reason?: string;
  message?: string;
  involvedObject?: { kind?: string; name?: string };
}
