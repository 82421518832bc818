import type { Cluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  /** Of those that count how long nothing has moved. */
  lastUpdateTime?: string;
}

/** Conditions with these in them; the time of a change moves only when the status does. */
export function withConditions(
  cluster: Cluster,
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

/** A pod somebody can count on. */
export function isReady(pod: KubeObject): boolean {
  return isTrue(pod, "Ready") && pod.metadata.deletionTimestamp === undefined;
}

export function isFinished(pod: KubeObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
