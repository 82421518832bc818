import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put, read } from "../store/store.ts";
import { isFinished, isReady } from "./conditions.ts";
import { createPod, deletePod, podsOf } from "./pods-of.ts";

const REPLICA_SETS = builtin("replicasets.apps");

export function runReplicaSets(cluster: SimulatedCluster): void {
  for (const set of all(cluster, REPLICA_SETS)) if (set.metadata.deletionTimestamp === undefined) runReplicaSet(cluster, set);
}

function runReplicaSet(cluster: SimulatedCluster, set: KubeObject): void {
  const wanted: number = set.spec.replicas;
  const living = podsOf(cluster, set).filter((pod) => !isFinished(pod) && pod.metadata.deletionTimestamp === undefined);
  for (let n = living.length; n < wanted; n++) if (!createPod(cluster, set, {}, "replicaset-controller")) break;
  // Pods that are not ready are deleted first.
  const expendable = [...living].sort((a, b) => Number(isReady(a)) - Number(isReady(b)));
  for (const pod of expendable.slice(0, Math.max(0, living.length - wanted))) deletePod(cluster, pod);
  writeStatus(cluster, set);
}

function writeStatus(cluster: SimulatedCluster, { metadata }: KubeObject): void {
  const set = read(cluster, REPLICA_SETS, metadata.namespace, metadata.name);
  if (!set) return;
  const pods = podsOf(cluster, set).filter((pod) => !isFinished(pod) && pod.metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isReady).length;
  put(cluster, REPLICA_SETS, {
    ...set,
    status: {
      replicas: pods.length,
      ...(pods.length > 0 && { fullyLabeledReplicas: pods.length }),
      ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
      observedGeneration: set.metadata.generation,
    },
  });
}
