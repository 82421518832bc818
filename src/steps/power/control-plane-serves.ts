import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { type Check, check, type Finding, type Read, type Ref, type Stage } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { quorumOf } from "../../talos/health/etcd-quorum.ts";

const LIMIT_MS = 15 * 60_000;

export const controlPlane: Ref<void> = { step: "start/control-plane" };

export interface ControlPlanes {
  machines: readonly Owned[];
  stage: Stage;
  /** The steps that switch them on. A failed one is tolerated while the others are enough. */
  after: readonly Ref<unknown>[];
  talos: TalosNodes;
  kubernetes: KubernetesClient;
}

/** Waits until etcd has its quorum and the Kubernetes API answers, so that workers can join. */
export function controlPlaneServes({ machines, stage, after, talos, kubernetes }: ControlPlanes): Check {
  return check({
    id: controlPlane.step,
    stage,
    title: "etcd and the Kubernetes API",
    after,
    run: async (c) => {
      const missing = await withoutQuorum(talos, machines, c);
      if (missing) return [missing];
      await c.until({ name: "etcd has a quorum", timeoutMs: LIMIT_MS, poll: () => membersAnswer(talos, machines, c) });
      await c.until({ name: "the Kubernetes API answers", timeoutMs: LIMIT_MS, poll: ({ signal }) => kubernetes.ready(signal) });
      return [];
    },
  });
}

/** Each control plane answers or has failed by now: without a quorum a wait is useless. */
async function withoutQuorum(talos: TalosNodes, machines: readonly Owned[], c: Read): Promise<Finding | undefined> {
  const answers = await Promise.all(machines.map(({ address }) => talos.probe(address, c.signal)));
  const silent = machines.filter((_, place) => answers[place]?.is !== "ours").map(({ name }) => name);
  const quorum = quorumOf(machines.length);
  if (machines.length - silent.length >= quorum) return undefined;
  return {
    level: "fail",
    code: "ETCD_QUORUM",
    message: `no answer from ${silent.join(", ")}: ${machines.length - silent.length} of ${machines.length} control planes answer, and etcd needs ${quorum}`,
    hint: "bring them back, then run the same command again; workers were not started",
  };
}

/** A member lists the others only with the agreement of a quorum. */
async function membersAnswer(talos: TalosNodes, machines: readonly Owned[], c: Read): Promise<true | { reason: string }> {
  const asked = await Promise.allSettled(machines.map(({ address }) => talos.node(address).etcdMembers(c.signal)));
  c.signal.throwIfAborted();
  if (asked.some(({ status }) => status === "fulfilled")) return true;
  const reasons = asked.flatMap((one, place) => {
    if (one.status === "fulfilled") return [];
    const { detail, message } = asTalosmithError(one.reason);
    return [`${machines[place]?.name}: ${detail ?? message}`];
  });
  return { reason: reasons.join("; ") };
}
