import type { SimulatedCluster } from "../cluster.ts";
import { findImage } from "../images/images.ts";
import { isReady } from "../life/conditions.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all } from "../store/store.ts";
import { environmentOf, expand } from "./environment.ts";
import { nodeCarriesServices, nodeRunsCni } from "./node-network.ts";
import { argvOf, type PodAnswer } from "./program.ts";
import { NetworkTrouble } from "./trouble.ts";

interface HttpTarget {
  host: string;
  port: number;
  path: string;
}

/** Whether pods of two nodes, or of one node, can communicate: a CNI is running on both. */
function areConnected(cluster: SimulatedCluster, from: string, to: string): boolean {
  const isUp = (node: string) =>
    cluster.nodes.some(({ name, kubelet }) => name === node && kubelet.running) && nodeRunsCni(cluster, node);
  return isUp(from) && isUp(to);
}

/** The ready pods of a Service that are reachable from a node. */
export function reachableBehind(cluster: SimulatedCluster, node: string, service: KubeObject): KubeObject[] {
  return readyBehind(cluster, service).filter((pod) => areConnected(cluster, node, pod.spec.nodeName));
}

export function readyBehind(cluster: SimulatedCluster, { metadata, spec }: KubeObject): KubeObject[] {
  if (!spec.selector) return [];
  return all(cluster, builtin("pods"), metadata.namespace).filter(
    (pod) => isReady(pod) && matchesSelector({ matchLabels: spec.selector }, pod.metadata.labels),
  );
}

/** The answer of a pod or a Service of the cluster to a pod of this node; undefined for other addresses. */
export function answerInside(cluster: SimulatedCluster, node: string, target: HttpTarget): PodAnswer | undefined {
  const service = all(cluster, builtin("services")).find(({ spec }) => spec.clusterIP === target.host);
  if (service) return answerOfService(cluster, node, service, target);
  const pod = all(cluster, builtin("pods")).find(({ spec, status }) => status?.podIP === target.host && !spec.hostNetwork);
  return pod && reachablePort(cluster, node, pod, target);
}

function answerOfService(cluster: SimulatedCluster, node: string, service: KubeObject, target: HttpTarget): PodAnswer {
  const port: Loose | undefined = (service.spec.ports ?? []).find((it: Loose) => it.port === target.port);
  const ready = readyBehind(cluster, service);
  if (!port || ready.length === 0 || !nodeCarriesServices(cluster, node)) throw new NetworkTrouble("refused", target);
  const [pod] = reachableBehind(cluster, node, service);
  if (!pod) throw new NetworkTrouble("unreachable", target);
  return reachablePort(cluster, node, pod, { ...target, port: portFor(pod, port) });
}

/** The pod's port that a Service's port leads to. */
export function portFor({ spec }: KubeObject, port: Loose): number {
  const named = spec.containers.flatMap((it: Loose) => it.ports ?? []).find((it: Loose) => it.name === port.targetPort);
  return named?.containerPort ?? Number(port.targetPort ?? port.port);
}

/** The answer of a pod's port to a client on this node. */
export function reachablePort(cluster: SimulatedCluster, node: string, pod: KubeObject, target: HttpTarget): PodAnswer {
  if (!areConnected(cluster, node, pod.spec.nodeName)) throw new NetworkTrouble("unreachable", target);
  const answer = answerOfPort(cluster, pod, target);
  if (!answer) throw new NetworkTrouble("refused", target);
  return answer;
}

/** The answer of a pod's port on its own node; undefined: the port is closed. */
export function answerOfPort(
  cluster: SimulatedCluster,
  pod: KubeObject,
  target: Pick<HttpTarget, "port" | "path">,
): PodAnswer | undefined {
  const hostname = pod.spec.hostname ?? pod.metadata.name;
  const statuses: Loose[] = pod.status?.containerStatuses ?? [];
  for (const container of pod.spec.containers ?? []) {
    const image = findImage(container.image);
    if (!image?.answers || !statuses.some(({ name, state }) => name === container.name && state?.running)) continue;
    const env = environmentOf(cluster, pod, container);
    const argv = argvOf(image, container).map((word) => expand(word, env));
    const answer = image.answers({ argv, hostname, port: target.port, path: target.path });
    if (answer) return { status: answer.status, headers: {}, body: Buffer.from(answer.body) };
  }
  return undefined;
}
