import { hasCode, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { Read } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import { isCordoned } from "../kubernetes/cordon.ts";
import type { Node } from "../kubernetes/objects.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { etcdState } from "../talos/health/etcd-quorum.ts";

/** Long enough for an API server that was just restarted. */
const PATIENCE_MS = 5 * 60_000;

/** A node as far as maintenance needs to know it. */
export interface ServiceNode {
  name: string;
  ip: string;
  role: "controlplane" | "worker";
}

export function listNodes(kube: KubernetesClient, signal: AbortSignal): Promise<Node[]> {
  return kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
}

export function nodeNamed(nodes: readonly Node[], name: string): Node | undefined {
  return nodes.find(({ metadata }) => metadata.name === name);
}

export function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

/** Until the kubelet has reported since this boot, Kubernetes still shows the state from before. */
export function notServing(node: Node | undefined, bootId: string): string | undefined {
  if (!node) return "it has not joined Kubernetes";
  const reported = node.status?.nodeInfo?.bootID;
  if (reported !== undefined && reported !== bootId) return "its kubelet has not reported since it started";
  return isReady(node) ? undefined : "it is NotReady";
}

export function canTakePods(node: Node): boolean {
  const isTainted = node.spec?.taints?.some(({ effect }) => effect !== "PreferNoSchedule") === true;
  return isReady(node) && !isCordoned(node) && !isTainted;
}

interface Cluster {
  nodes: readonly ServiceNode[];
  bootstrapped: boolean;
  talos: TalosNodes;
  kube: KubernetesClient;
}

/**
 * The state of a node right now. "down": it serves nothing, because there is no cluster yet, it has not joined, or it is broken: whatever is done to it
 * makes nothing worse. While the Kubernetes API is silent a healthy node cannot be drained, so it is not touched.
 */
export async function standingOf(cluster: Cluster, node: ServiceNode, c: Read): Promise<"serving" | "down"> {
  let standing: "serving" | "down" = "down";
  let silence = "";
  await c
    .until({
      name: `Kubernetes says whether ${node.name} is in service`,
      timeoutMs: PATIENCE_MS,
      poll: async ({ signal }) => {
        const ready = await cluster.kube.ready(signal);
        if (ready === true) {
          const itself = await cluster.kube.get<Node>({ apiVersion: "v1", kind: "Node", name: node.name }, signal);
          standing = itself && isReady(itself) ? "serving" : "down";
          return true;
        }
        if (!(await exists(cluster, signal)) || !(await isHealthy(cluster, node, signal))) return true;
        silence = ready.reason;
        return { reason: silence };
      },
    })
    .catch((error: unknown) => {
      if (!hasCode(error, "TIMEOUT")) throw error;
      throw remoteError("KUBERNETES_SILENT", {
        message: `Unable to take ${node.name} out of service: it is healthy, and the Kubernetes API does not answer, so its pods cannot be moved`,
        detail: silence,
        hint: `repair the control planes first; to see what is wrong with them:  ${ownCommand("verify", typedEnvironment())}\nNothing was changed on this node.`,
        cause: error,
      });
    });
  return standing;
}

/** Whether there is an etcd, and so a cluster. */
async function exists({ nodes, bootstrapped, talos }: Cluster, signal: AbortSignal): Promise<boolean> {
  if (bootstrapped) return true;
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane");
  const states = await Promise.all(controlPlanes.map((one) => etcdState(talos, one, signal)));
  return states.some(({ is }) => is === "healthy" || is === "unhealthy");
}

async function isHealthy({ talos, kube }: Cluster, { ip, role }: ServiceNode, signal: AbortSignal): Promise<boolean> {
  try {
    const answering = await talos.ask(ip, (api) => api.services(signal), signal);
    if (answering.is !== "ours") return false;
    const needed = role === "controlplane" ? ["kubelet", "etcd"] : ["kubelet"];
    if (!needed.every((id) => answering.answer.some((service) => service.id === id && service.healthy === true))) return false;
    return role === "worker" || (await kube.readyAt(`https://${ip}:6443`, signal)) === true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TalosmithError) return false;
    throw error;
  }
}
