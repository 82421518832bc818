import { deleteObject } from "../api/delete.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin, resourcesOf } from "../resources/catalogue.ts";
import { resourceKey } from "../resources/resource.ts";
import { lookIn } from "../store/look.ts";
import { all, put, remove } from "../store/store.ts";
import { toleratesTaint } from "./scheduler.ts";

/** Deletes objects without an owner: dependents of deleted objects, and then objects that waited for their dependents. */
export function collectGarbage(cluster: SimulatedCluster): void {
  const once = [...new Map(resourcesOf(cluster).map((resource) => [resourceKey(resource), resource])).values()];
  const objects = once.flatMap((resource) => all(cluster, resource).map((object) => ({ resource, object })));
  const living = new Map(objects.map(({ object }) => [object.metadata.uid, object]));
  const waited = new Set<string>();
  for (const { resource, object } of objects) {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0) continue;
    const leaving = owners.every(({ uid }) => !living.has(uid) || isLeavingInForeground(living.get(uid)));
    for (const { uid } of owners) waited.add(uid);
    if (leaving && object.metadata.deletionTimestamp === undefined) {
      const foreground = owners.some(({ uid }) => living.has(uid));
      deleteObject(cluster, resource, object, foreground ? { propagation: "Foreground" } : {});
    }
  }
  for (const { resource, object } of objects) {
    if (!isLeavingInForeground(object) || waited.has(object.metadata.uid)) continue;
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== "foregroundDeletion");
    if (finalizers.length === 0) remove(cluster, resource, object);
    else put(cluster, resource, { ...object, metadata: { ...object.metadata, finalizers } });
  }
}

function isLeavingInForeground(object: KubeObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes("foregroundDeletion");
}

/** Deletes pods of nodes that no longer exist, and pods that do not tolerate their node's taints. */
export function evictPods(cluster: SimulatedCluster): void {
  const nodes = new Map(all(cluster, builtin("nodes")).map((node) => [node.metadata.name, node]));
  const now = cluster.lab.now();
  for (const pod of all(cluster, builtin("pods"))) {
    const { nodeName } = pod.spec;
    if (!nodeName) continue;
    const node = nodes.get(nodeName);
    if (!node) {
      remove(cluster, builtin("pods"), pod);
      continue;
    }
    if (pod.metadata.deletionTimestamp !== undefined || pod.metadata.annotations?.["kubernetes.io/config.mirror"]) continue;
    const seconds = secondsToStay(pod, node);
    if (seconds === undefined) continue;
    const since = Date.parse(
      node.status?.conditions?.find(({ type }: { type: string }) => type === "Ready")?.lastTransitionTime ?? 0,
    );
    const left = since + seconds * 1000 - now;
    if (left > 0) lookIn(cluster, left);
    else deleteObject(cluster, builtin("pods"), pod, {});
  }
}

/** How long a pod may stay; undefined: without limit. */
function secondsToStay({ spec }: KubeObject, node: KubeObject): number | undefined {
  const taints: { key: string; effect: string }[] = (node.spec?.taints ?? []).filter(
    ({ effect }: { effect: string }) => effect === "NoExecute",
  );
  const limits = taints.flatMap((taint) => {
    const bearing = (spec.tolerations ?? []).filter((it: object) => toleratesTaint(it, taint));
    if (bearing.length === 0) return [0];
    const seconds: number[] = bearing.flatMap((it: { tolerationSeconds?: number }) => it.tolerationSeconds ?? []);
    return seconds.length < bearing.length ? [] : [Math.max(0, Math.min(...seconds))];
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}
