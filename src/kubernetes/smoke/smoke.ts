import type { Read } from "../../engine/step.ts";
import type { KubernetesClient } from "../client/kubernetes-client.ts";
import type { KubernetesObject } from "../objects.ts";
import { isPodReady, podTrouble, podWords } from "../pod-state.ts";
import { type Asked, answersOf, type SmokeAnswer } from "./answers.ts";
import { dnsAgain } from "./dns-again.ts";
import { abandonNamespace, clearNamespace, make, makeNamespace, removeNamespace } from "./namespace.ts";
import { isTimeout, patiently } from "./patiently.ts";
import { gpuPod, listenerPod, NETWORK_QUESTIONS, probePod, type SmokeNode } from "./pods.ts";
import { type SeenPods, untilListening, untilOver } from "./waits.ts";

export interface SmokeWish {
  nodes: readonly SmokeNode[];
  image: string;
  gpuImage: string;
  /** The runtime class of GPU pods, where one is needed. */
  gpuRuntimeClass?: string;
  dnsDomain: string;
}

export interface SmokeResult {
  answers: SmokeAnswer[];
  /** The node whose listener each node's pod has to reach. */
  partners: ReadonlyMap<string, string>;
  /** The namespace was not removed in time. */
  left: boolean;
}

/** Creates test pods on all nodes at once and removes them, in two rounds: first listeners, then pods that ask. */
export async function smoke(kube: KubernetesClient, wish: SmokeWish, c: Read): Promise<SmokeResult> {
  await clearNamespace(kube, c);
  let tried: Omit<SmokeResult, "left">;
  try {
    await makeNamespace(kube, c);
    tried = await tryAll(kube, wish, c);
  } catch (error) {
    await (c.signal.aborted ? abandonNamespace(kube) : removeNamespace(kube, c)).catch(() => {});
    throw error;
  }
  try {
    await removeNamespace(kube, c);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return { ...tried, left: true };
  }
  return { ...tried, left: false };
}

async function tryAll(kube: KubernetesClient, wish: SmokeWish, c: Read): Promise<Omit<SmokeResult, "left">> {
  const { nodes, image, gpuImage } = wish;
  const listeners = nodes.map((node, place) => listenerPod(node, place, image));
  const gpus = nodes.flatMap((node, place) =>
    node.gpu ? [{ node, pod: gpuPod(node, place, gpuImage, wish.gpuRuntimeClass) }] : [],
  );
  await Promise.all([...listeners, ...gpus.map(({ pod }) => pod)].map((pod) => make(kube, pod, c)));
  const [seen, api] = await Promise.all([untilListening(kube, listeners.map(nameOf), c), apiAddress(kube, c)]);

  const listening = nodes.map((_, place) => addressOf(seen, `listener-${place}`));
  const partners = new Map<string, string>();
  const name = `kubernetes.default.svc.${wish.dnsDomain}`;
  const probes = nodes.flatMap((node, place) => {
    if (listening[place] === undefined) return [];
    const next = nextUp(listening, place);
    partners.set(node.name, nodes[next]?.name ?? node.name);
    const targets = { api, name, pod: listening[next] ?? listening[place] };
    return [{ node, pod: probePod(node, place, image, targets) }];
  });
  await Promise.all(probes.map(({ pod }) => make(kube, pod, c)));
  const asked: Asked[] = [
    ...probes.map(({ node, pod }) => ({ node: node.name, pod: nameOf(pod), questions: NETWORK_QUESTIONS, image })),
    ...gpus.map(({ node, pod }) => ({ node: node.name, pod: nameOf(pod), questions: ["gpu"] as const, image: gpuImage })),
  ];
  const ended = await untilOver(
    kube,
    asked.map(({ pod }) => pod),
    c,
  );
  const first = await Promise.all(asked.map((one) => answersOf(kube, one, ended.get(one.pod), c.signal)));
  const answers = await dnsAgain(kube, { nodes, image, name }, first.flat(), c);
  return { answers: [...unstarted(wish, seen), ...answers], partners };
}

const nameOf = ({ metadata }: KubernetesObject) => metadata.name;

function addressOf(seen: SeenPods, name: string): string | undefined {
  const pod = seen.get(name);
  // A pod has an address before it listens, while images are pulled.
  return pod && isPodReady(pod) ? pod.status?.podIP : undefined;
}

/** The next listening node in the ring; a single node asks itself. */
function nextUp(listening: readonly (string | undefined)[], place: number): number {
  const ring = listening.map((_, n) => (place + 1 + n) % listening.length);
  return ring.find((other) => listening[other] !== undefined) ?? place;
}

function unstarted({ nodes, image }: SmokeWish, seen: SeenPods): SmokeAnswer[] {
  return nodes.flatMap(({ name }, place): SmokeAnswer[] => {
    if (addressOf(seen, `listener-${place}`) !== undefined) return [];
    const pod = seen.get(`listener-${place}`);
    const why = pod ? (podTrouble(pod) ?? podWords(pod)) : "its pod was deleted: another verify may be running";
    return [{ node: name, asked: "start", is: "unstarted", why, image }];
  });
}

interface Service extends KubernetesObject {
  spec?: { clusterIP?: string };
}

/** By address and not by name, so that a DNS failure affects only the DNS question. */
async function apiAddress(kube: KubernetesClient, c: Read): Promise<string> {
  const of = { apiVersion: "v1", kind: "Service", namespace: "default", name: "kubernetes" };
  const service = await patiently(c, "Service kubernetes can be read", (signal) => kube.get<Service>(of, signal));
  return service?.spec?.clusterIP ?? "kubernetes.default.svc";
}
