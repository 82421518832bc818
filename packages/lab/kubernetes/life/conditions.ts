import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  /** For conditions that measure how long there was no progress. */
  lastUpdateTime?: string;
}

/** Merges conditions into the existing ones; the transition time changes only with the status. */
export function withConditions(
  cluster: SimulatedCluster,
  old: Loose[] | undefined,
  wanted: readonly Condition[],
  extra: Loose = {},
): Loose[] {
  const now = timestamp(cluster.lab.now());
  const named = new Set(wanted.map(({ type }) => type));
  const kept = (old ?? []).filter(({ type }) => !named.has(type));
  const set = wanted.map((condition) => {
    const before = (old ?? []).find(({ type }) => type === condition.type);
    const same = before?.status === condition.status;
    return { ...before, ...extra, ...condition, lastTransitionTime: same ? before.lastTransitionTime : now };
  });
  return [...kept, ...set];
}

export function isTrue(object: KubeObject, type: string): boolean {
  return (object.status?.conditions ?? []).some((it: Loose) => it.type === type && it.status === "True");
}

/** Whether the pod is ready and not being deleted. */
export function isReady(pod: KubeObject): boolean {
  return isTrue(pod, "Ready") && pod.metadata.deletionTimestamp === undefined;
}

export function isFinished(pod: KubeObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
