import type { KubernetesClient } from "../client/kubernetes-client.ts";
import type { Pod } from "../objects.ts";
import { podTrouble, podWords } from "../pod-state.ts";
import { NAMESPACE } from "./namespace.ts";
import type { Question } from "./pods.ts";

const LOG_LINES = 3;

/** The result of a question on a node. Unstarted: its pod could not start, with the image it needs. */
export type SmokeAnswer = { node: string; asked: Question | "start" } & (
  | { is: "yes" }
  | { is: "no"; why: string; log: readonly string[] }
  | { is: "unstarted"; why: string; image: string }
  | { is: "untried"; why: string }
);

export interface Asked {
  node: string;
  pod: string;
  questions: readonly Question[];
  image: string;
}

/** The answers of a pod that should have finished by now. */
export async function answersOf(
  kube: KubernetesClient,
  { node, pod: name, questions, image }: Asked,
  pod: Pod | undefined,
  signal: AbortSignal,
): Promise<SmokeAnswer[]> {
  if (!pod)
    return [{ node, asked: "start", is: "untried", why: "its pod was deleted while it ran: another verify may be running" }];
  const statuses = pod.status?.containerStatuses ?? [];
  const hasRun = statuses.some(({ state }) => state?.terminated !== undefined || state?.running !== undefined);
  const trouble = podTrouble(pod);
  if (!hasRun && isInUse(trouble))
    return questions.map((asked) => ({ node, asked, is: "untried", why: "all of its GPUs are in use" }));
  if (!hasRun) return [{ node, asked: "start", is: "unstarted", why: trouble ?? podWords(pod), image }];
  return Promise.all(
    questions.map(async (asked): Promise<SmokeAnswer> => {
      const ended = statuses.find((it) => it.name === asked)?.state?.terminated;
      if (ended?.exitCode === 0) return { node, asked, is: "yes" };
      const why = ended
        ? `exit code ${ended.exitCode}${(ended.reason ?? "Error") === "Error" ? "" : `, ${ended.reason}`}`
        : "it does not end";
      return { node, asked, is: "no", why, log: await tail(kube, name, asked, signal) };
    }),
  );
}

/** The scheduler's message for an exhausted resource. */
function isInUse(trouble: string | undefined): boolean {
  return trouble?.includes("Insufficient nvidia.com/gpu") ?? false;
}

async function tail(kube: KubernetesClient, name: string, container: string, signal: AbortSignal): Promise<string[]> {
  // The log only adds details: without it the answer is still negative.
  const text = await kube.logs({ namespace: NAMESPACE, name, container }, { tailLines: 20 }, signal).catch(() => "");
  signal.throwIfAborted();
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))].slice(-LOG_LINES);
}
