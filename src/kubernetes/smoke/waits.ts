import type { Read } from "../../engine/step.ts";
import type { KubernetesClient } from "../client/kubernetes-client.ts";
import { kubernetesCondition } from "../conditions.ts";
import type { Pod } from "../objects.ts";
import { isPodReady, podTrouble } from "../pod-state.ts";
import { NAMESPACE } from "./namespace.ts";
import { isTimeout } from "./patiently.ts";

/** How long a pod's start problem may resolve by itself: kubelet retries a registry after a few seconds. */
const TROUBLE_MS = 60_000;
/** Image pulls may be slow. */
const START_MS = 10 * 60_000;
/** Much longer than any of their questions takes. */
const OVER_MS = 5 * 60_000;

/** By name, in their last known state. */
export type SeenPods = ReadonlyMap<string, Pod>;

/** Waits until each pod listens or has failed. */
export function untilListening(kube: KubernetesClient, names: readonly string[], c: Read): Promise<SeenPods> {
  return until(kube, c, names, START_MS, "are up", (pod) => isPodReady(pod) && pod.status?.podIP !== undefined);
}

/** Waits until each pod has finished or failed. */
export function untilOver(kube: KubernetesClient, names: readonly string[], c: Read): Promise<SeenPods> {
  return until(kube, c, names, OVER_MS, "have finished", isOver);
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Polls all pods with one list. A time-out is not an error here: the state of each pod is reported. */
async function until(
  kube: KubernetesClient,
  c: Read,
  names: readonly string[],
  timeoutMs: number,
  what: string,
  isDone: (pod: Pod) => boolean,
): Promise<SeenPods> {
  let seen: SeenPods = new Map();
  if (names.length === 0) return seen;
  const started = c.world.clock.monotonic();
  const poll = async ({ signal }: Read) => {
    const pods = await kube.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace: NAMESPACE }, signal);
    seen = new Map(pods.map((pod) => [pod.metadata.name, pod]));
    const isLate = c.world.clock.monotonic() - started >= TROUBLE_MS;
    const waiting = names.filter((name) => {
      const pod = seen.get(name);
      // A deleted pod does not come back.
      return pod !== undefined && !isDone(pod) && !isOver(pod) && !(isLate && podTrouble(pod) !== undefined);
    });
    if (waiting.length === 0) return true;
    const why = waiting.flatMap((name) => podTrouble(seen.get(name) as Pod) ?? [])[0];
    return { reason: `${names.length - waiting.length} of ${names.length}${why === undefined ? "" : `, ${why}`}` };
  };
  try {
    await c.until(kubernetesCondition(`pods of the smoke test ${what}`, timeoutMs, poll));
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  return seen;
}
