import { type Change, type Field, type Read, type Ref, type Step, step } from "../../engine/step.ts";
import { cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside, mayExist } from "./cluster.ts";

/** Uncordons nodes that a run drained for a reboot and could not uncordon because it was interrupted. */
export function nodesSchedulable(cluster: Cluster, after: readonly Ref<unknown>[]): Step<string[], void> {
  const { kube } = cluster;
  const id = "addon/nodes-schedulable";
  const cordonedByUs = async (c: Read): Promise<string[]> => {
    const listed = await c.shared("kubernetes nodes", () => kube.list<Node>({ apiVersion: "v1", kind: "Node" }, c.signal));
    return listed.filter((node) => cordonedFor(node) !== undefined).map(({ metadata }) => metadata.name);
  };
  return step({
    id,
    stage: "addons",
    title: "nodes take pods",
    needs: [...CLUSTER_NEEDS, ...after],
    observe: (c) => lookInside(cluster, id, c, async () => ({ is: "present", actual: await cordonedByUs(c), owner: "us" })),
    plan: (seen) => {
      const change = (fields: Field[]): Change[] => [{ id, step: id, verb: "update", subject: "cordoned nodes", fields }];
      // An unreachable cluster may have such nodes.
      if ("later" in seen) return mayExist(cluster) ? change([{ path: "unschedulable", from: seen, to: false }]) : [];
      if (seen.is !== "present" || seen.actual.length === 0) return [];
      return change(seen.actual.map((name) => ({ path: name, from: "cordoned", to: "takes pods" })));
    },
    apply: async (_, c) => {
      for (const name of await cordonedByUs(c)) await uncordon(kube, name, c);
    },
    output: () => undefined,
  });
}
