import { isTransient } from "@talosmith/lib/errors.ts";
import type { Finding } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import { budgetName, listBudgets, protects } from "../kubernetes/disruption-budgets.ts";
import { drainable, podName } from "../kubernetes/drain.ts";
import type { Pod } from "../kubernetes/objects.ts";
import { canTakePods, isReady, listNodes, nodeNamed, type ServiceNode } from "./standing.ts";

/** Returns findings for the plan: how pods are affected when nodes go out of service. Empty while Kubernetes does not answer. */
export async function impactOf(
  interrupted: readonly string[],
  nodes: readonly ServiceNode[],
  kube: KubernetesClient,
  signal: AbortSignal,
  takesSnapshots = true,
): Promise<Finding[]> {
  if (interrupted.length === 0) return [];
  const seen = await look(kube, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isTransient(error)) return undefined;
    throw error;
  });
  if (!seen) return [];
  const [listed, pods, budgets] = seen;
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane");
  return interrupted.flatMap((name) => {
    const itself = nodeNamed(listed, name);
    if (!itself) return [];
    const downtime = controlPlanes.length === 1 && controlPlanes[0]?.name === name ? [downtimeNote(name, takesSnapshots)] : [];
    if (!isReady(itself)) return downtime;
    const { moving } = drainable(pods.filter(({ spec }) => spec?.nodeName === name));
    const blocking = budgets.filter(
      (budget) => budget.status?.disruptionsAllowed === 0 && moving.some((pod) => protects(budget, pod)),
    );
    const hasRoom = listed.some((one) => one !== itself && canTakePods(one));
    return [
      ...(moving.length > 0 ? [podsNote(name, moving, hasRoom)] : []),
      ...(hasRoom ? blocking.map((budget) => budgetNote(name, budgetName(budget))) : []),
      ...downtime,
    ];
  });
}

async function look(kube: KubernetesClient, signal: AbortSignal) {
  if ((await kube.ready(signal)) !== true) return undefined;
  return Promise.all([
    listNodes(kube, signal),
    kube.list<Pod>({ apiVersion: "v1", kind: "Pod" }, signal),
    listBudgets(kube, signal),
  ]);
}

function podsNote(name: string, moving: readonly Pod[], hasRoom: boolean): Finding {
  const pods = `${moving.length} pod${moving.length === 1 ? "" : "s"}`;
  const scratch = moving.filter(({ spec }) => spec?.volumes?.some(({ emptyDir }) => emptyDir !== undefined)).map(podName);
  const lost = scratch.length === 0 ? "" : `; emptyDir data of ${scratch.join(", ")} is lost`;
  const message = hasRoom
    ? `${name}: ${pods} will move to other nodes${lost}`
    : `${name}: no other node can run its ${pods}; they stop until it is back`;
  return { level: "warn", code: "INTERRUPTS", message };
}

function budgetNote(name: string, budget: string): Finding {
  return {
    level: "warn",
    code: "BUDGET_BLOCKS",
    message: `${name}: disruption budget ${budget} allows no eviction right now; the drain waits for it and fails after 5 minutes`,
    hint: `run more replicas, change the budget, or use --ignore-pdb ${budget}`,
  };
}

function downtimeNote(name: string, takesSnapshots: boolean): Finding {
  const first = takesSnapshots ? ". A snapshot of etcd is taken first" : "";
  return {
    level: "warn",
    code: "API_DOWNTIME",
    message: `${name} is the only control plane: the Kubernetes API does not answer while it is down${first}`,
  };
}
