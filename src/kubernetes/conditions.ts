import { isTransient } from "@talosmith/lib/errors.ts";
import type { Condition, Read } from "../engine/step.ts";
import type { KubernetesClient } from "./client/kubernetes-client.ts";
import { type ExpectedNode, unreadyNodes } from "./health.ts";
import type { Node } from "./objects.ts";

/** A condition of Kubernetes. While the API server is unavailable, the wait continues. */
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
        if (!isTransient(error)) throw error;
        return { reason: error.detail?.split("\n")[0] ?? error.message };
      }
    },
  };
}

/** Waits until every expected node exists and is Ready; other nodes are ignored. */
export function nodesReady(kube: KubernetesClient, expected: readonly ExpectedNode[], timeoutMs: number): Condition {
  return kubernetesCondition("all nodes are Ready", timeoutMs, async ({ signal }) => {
    const problems = unreadyNodes(await kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal), expected);
    return problems.length === 0 ? true : { reason: problems.map(({ subject, problem }) => `${subject} ${problem}`).join("; ") };
  });
}
