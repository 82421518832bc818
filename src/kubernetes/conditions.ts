import type { Condition, Read } from "../engine/step.ts";
import { TalosmithError } from "../lib/errors.ts";
import type { KubernetesClient, ObjectRef } from "./client/kubernetes-client.ts";
import { type ExpectedNode, unreadyNodes } from "./health.ts";
import type { DaemonSet, Deployment, Node, Pod } from "./objects.ts";
import { podTrouble } from "./pod-state.ts";

/** A wait on Kubernetes. An API server that goes away for a moment is a reason to wait on, not to give up. */
export function kubernetesCondition(
  name: string,
  timeoutMs: number,
  poll: (c: Read) => Promise<true | { reason: string }>,
): Condition {
  return {
    name,
    timeoutMs,
    async poll(c) {
      try {
        return await poll(c);
      } catch (error) {
        if (!(error instanceof TalosmithError && error.transient)) throw error;
        return { reason: error.detail?.split("\n")[0] ?? error.message };
      }
    },
  };
}

export interface Workload {
  namespace: string;
  name: string;
  /** Of its pods: "k8s-app=cilium". */
  pods: string;
}

/** A pod of it ready on each of so many nodes, all of the newest kind. */
export function daemonSetReady(kube: KubernetesClient, of: Workload, nodes: number, timeoutMs: number): Condition {
  return kubernetesCondition(`${of.name} runs on every node`, timeoutMs, async ({ signal }) => {
    const set = await kube.get<DaemonSet>(refOf("DaemonSet", of), signal);
    if (!set) return { reason: `there is no DaemonSet ${of.name} yet` };
    const { desiredNumberScheduled = 0, numberReady = 0, updatedNumberScheduled = 0 } = set.status ?? {};
    const seen = isSeen(set) && desiredNumberScheduled >= nodes;
    if (seen && numberReady >= desiredNumberScheduled && updatedNumberScheduled >= desiredNumberScheduled) return true;
    const ready = Math.min(numberReady, updatedNumberScheduled);
    return { reason: `${ready} of ${Math.max(nodes, desiredNumberScheduled)} ready${await trouble(kube, of, signal)}` };
  });
}

/** As many of it ready as it wants, all of the newest kind. */
export function deploymentReady(kube: KubernetesClient, of: Workload, timeoutMs: number): Condition {
  return kubernetesCondition(`${of.name} runs`, timeoutMs, async ({ signal }) => {
    const deployment = await kube.get<Deployment>(refOf("Deployment", of), signal);
    if (!deployment) return { reason: `there is no Deployment ${of.name} yet` };
    const wanted = deployment.spec?.replicas ?? 1;
    const { readyReplicas = 0, updatedReplicas = 0, replicas = 0 } = deployment.status ?? {};
    if (isSeen(deployment) && Math.min(readyReplicas, updatedReplicas) >= wanted && replicas <= wanted) return true;
    const ready = Math.min(readyReplicas, updatedReplicas);
    return { reason: `${ready} of ${wanted} ready${await trouble(kube, of, signal)}` };
  });
}

/** Every expected node is there and Ready; others are nobody's business here. */
export function nodesReady(kube: KubernetesClient, expected: readonly ExpectedNode[], timeoutMs: number): Condition {
  return kubernetesCondition("all nodes are Ready", timeoutMs, async ({ signal }) => {
    const problems = unreadyNodes(await kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal), expected);
    return problems.length === 0 ? true : { reason: problems.map(({ subject, problem }) => `${subject} ${problem}`).join("; ") };
  });
}

function refOf(kind: string, { namespace, name }: Workload): ObjectRef {
  return { apiVersion: "apps/v1", kind, namespace, name };
}

/** Until its controller has looked at the newest wish, the numbers speak of the one before. */
function isSeen(object: DaemonSet | Deployment): boolean {
  return (object.status?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
}

/** ", worker-1: ImagePullBackOff: …" when one of the pods says what keeps it. */
async function trouble(kube: KubernetesClient, of: Workload, signal: AbortSignal): Promise<string> {
  const { namespace, pods: labelSelector } = of;
  const pods = await kube.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace, labelSelector }, signal);
  for (const pod of pods) {
    const why = podTrouble(pod);
    if (why) return `, ${pod.spec?.nodeName ?? pod.metadata.name}: ${why}`;
  }
  return "";
}
