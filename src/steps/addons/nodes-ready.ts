import { type Ref, type Step, step } from "../../engine/step.ts";
import { nodesReady as allReady } from "../../kubernetes/conditions.ts";
import { type Problem, unreadyNodes } from "../../kubernetes/health.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { nodeConfigStep } from "../bootstrap/node-config.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside } from "./cluster.ts";

const LIMIT_MS = 10 * 60_000;

/**
 * Waits until every node of the config is Ready. A step and not a check, because `up` has to wait for nodes even when an earlier run was interrupted
 * right after it installed the network.
 */
export function nodesReady(cluster: Cluster, after: readonly Ref<unknown>[]): Step<Problem[], void> {
  const { kube, found } = cluster;
  const { nodes } = cluster.env.config;
  const id = "addon/nodes-ready";
  return step({
    id,
    stage: "addons",
    title: "nodes are Ready",
    needs: [...CLUSTER_NEEDS, ...nodes.map(({ name }) => ({ step: nodeConfigStep(name) })), ...after],
    observe: (c) =>
      lookInside(cluster, id, c, async () => {
        const listed = await c.shared("kubernetes nodes", () => kube.list<Node>({ apiVersion: "v1", kind: "Node" }, c.signal));
        return { is: "present", actual: unreadyNodes(listed, nodes), owner: "us" };
      }),
    plan: (seen) => {
      if ("is" in seen && seen.is === "present" && seen.actual.length === 0) return [];
      return [{ id, step: id, verb: "run", subject: "wait until all nodes are Ready", fields: [] }];
    },
    notes: (seen) => {
      // Nodes that are still to be created are not expected.
      const problems = seen.is === "present" ? seen.actual.filter(({ subject }) => found.there.has(subject)) : [];
      return problems.map(({ subject, problem }) => ({
        level: "warn",
        code: "NODE_NOT_READY",
        message: `${subject} ${problem}`,
      }));
    },
    apply: (_, c) => c.until(allReady(kube, nodes, LIMIT_MS)),
    output: () => undefined,
  });
}
