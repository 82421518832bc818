import type { Read } from "../../engine/step.ts";
import type { KubernetesClient } from "../client/kubernetes-client.ts";
import { answersOf, type SmokeAnswer } from "./answers.ts";
import { make } from "./namespace.ts";
import { dnsPod, type SmokeNode } from "./pods.ts";
import { untilOver } from "./waits.ts";

/** In total longer than the minute that cluster DNS needs after a power failure. */
const ROUNDS = 6;
const PAUSE_MS = 15_000;

interface DnsQuestion {
  nodes: readonly SmokeNode[];
  image: string;
  /** The name to look up. */
  name: string;
}

/** Repeats failed DNS questions: nslookup gives up at the first refusal, while curl retries for half a minute. */
export async function dnsAgain(
  kube: KubernetesClient,
  { nodes, image, name }: DnsQuestion,
  first: readonly SmokeAnswer[],
  c: Read,
): Promise<SmokeAnswer[]> {
  let answers = [...first];
  for (let round = 1; round <= ROUNDS; round++) {
    const failed = new Set(answers.filter(({ asked, is }) => asked === "dns" && is === "no").map(({ node }) => node));
    if (failed.size === 0) break;
    await c.world.clock.sleep(PAUSE_MS, c.signal);
    const asked = nodes.flatMap((node, place) =>
      failed.has(node.name) ? [{ node, pod: `dns-${place}-${round}`, questions: ["dns"] as const }] : [],
    );
    await Promise.all(asked.map(({ node, pod }) => make(kube, dnsPod(node, pod, image, name), c)));
    const ended = await untilOver(
      kube,
      asked.map(({ pod }) => pod),
      c,
    );
    const found = await Promise.all(
      asked.map((one) => answersOf(kube, { ...one, node: one.node.name, image }, ended.get(one.pod), c.signal)),
    );
    const again = new Map(found.flat().flatMap((one) => (one.asked === "dns" ? [[one.node, one] as const] : [])));
    answers = answers.map((one) => (one.asked === "dns" ? (again.get(one.node) ?? one) : one));
  }
  return answers;
}
