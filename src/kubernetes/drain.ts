import { hasCode, remoteError } from "@talosmith/lib/errors.ts";
import type { Write } from "../engine/step.ts";
import type { KubernetesClient } from "./client/kubernetes-client.ts";
import { kubernetesCondition } from "./conditions.ts";
import { budgetName, budgetsOf } from "./disruption-budgets.ts";
import type { Pod } from "./objects.ts";

const DRAIN_LIMIT_MS = 5 * 60_000;
/** The pause before a blocked eviction is repeated, as in kubectl drain. */
const ASK_AGAIN_MS = 5_000;
const MIRROR = "kubernetes.io/config.mirror";

/** The pods of a node, classified as by `kubectl drain --ignore-daemonsets --delete-emptydir-data`. */
export interface Drainable {
  /** Evicted; their controllers create new ones on other nodes. */
  moving: Pod[];
  /** Terminating already. */
  leaving: Pod[];
  /** Pods without a controller, which would not be created again: kubectl refuses without --force. */
  unmanaged: Pod[];
}

/** Pods of the node itself (DaemonSets, static pods) and finished ones do not block a drain. */
export function drainable(pods: readonly Pod[]): Drainable {
  const found: Drainable = { moving: [], leaving: [], unmanaged: [] };
  for (const pod of pods) {
    const { annotations, deletionTimestamp, ownerReferences } = pod.metadata;
    const controller = ownerReferences?.find((owner) => owner.controller === true);
    const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (annotations?.[MIRROR] !== undefined || controller?.kind === "DaemonSet" || ended) continue;
    if (deletionTimestamp !== undefined) found.leaving.push(pod);
    else if (controller) found.moving.push(pod);
    else found.unmanaged.push(pod);
  }
  return found;
}

export function podsOn(kube: KubernetesClient, node: string, signal: AbortSignal): Promise<Pod[]> {
  return kube.list<Pod>({ apiVersion: "v1", kind: "Pod", fieldSelector: `spec.nodeName=${node}` }, signal);
}

export function podName({ metadata }: Pod): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

/**
 * Evicts every pod that can run elsewhere, and waits until all are gone. The node must be cordoned, or they come back. A pod that only budgets in
 * `ignored` ("namespace/name") protect is deleted instead: deletion ignores budgets.
 */
export async function drain(kube: KubernetesClient, node: string, c: Write, ignored: readonly string[] = []): Promise<void> {
  const refused = new Map<string, { at: number; why: string }>();
  const ask = async (pod: Pod): Promise<string | undefined> => {
    const before = refused.get(podName(pod));
    if (before && c.world.clock.monotonic() - before.at < ASK_AGAIN_MS) return before.why;
    const { name, namespace = "default", uid } = pod.metadata;
    const answer = await c.mutate({ key: `pod ${podName(pod)}`, what: `evict pod ${podName(pod)} from ${node}` }, async () => ({
      ...(await kube.evict({ name, namespace, uid }, c.signal)),
    }));
    if (answer.is !== "blocked") return undefined;
    if (await isFreed(kube, pod, ignored, c)) {
      await c.mutate({ key: `pod ${podName(pod)}`, what: `delete pod ${podName(pod)} from ${node}` }, async () => {
        await kube.delete({ apiVersion: "v1", kind: "Pod", name, namespace }, { ...(uid !== undefined && { uid }) }, c.signal);
        return name;
      });
      return undefined;
    }
    refused.set(podName(pod), { at: c.world.clock.monotonic(), why: answer.why });
    return answer.why;
  };
  const drained = kubernetesCondition(`${node} is drained`, DRAIN_LIMIT_MS, async () => {
    const { moving, leaving } = drainable(await podsOn(kube, node, c.signal));
    const waiting = leaving.map((pod) => `${podName(pod)} is terminating`);
    for (const pod of moving) {
      const why = await ask(pod);
      waiting.push(why === undefined ? `${podName(pod)} is being evicted` : `${podName(pod)} cannot be evicted yet: ${why}`);
    }
    return waiting.length === 0 ? true : { reason: waiting.join("; ") };
  });
  await c.until(drained).catch((error: unknown) => {
    if (!hasCode(error, "TIMEOUT")) throw error;
    throw remoteError("DRAIN", {
      message: `Unable to drain ${node} within ${DRAIN_LIMIT_MS / 60_000} minutes: pods are still on it`,
      ...(error.detail !== undefined && { detail: error.detail }),
      hint: "make room for the pods on other nodes or change the disruption budget that protects them, then run the same command again; --ignore-pdb NAMESPACE/NAME deletes pods despite a budget. The node stays in service.",
      cause: error,
    });
  });
}

/** Whether the user asked to ignore all disruption budgets that protect this pod. */
async function isFreed(kube: KubernetesClient, pod: Pod, ignored: readonly string[], c: Write): Promise<boolean> {
  if (ignored.length === 0) return false;
  const budgets = await budgetsOf(kube, pod, c.signal);
  return budgets.length > 0 && budgets.every((budget) => ignored.includes(budgetName(budget)));
}
