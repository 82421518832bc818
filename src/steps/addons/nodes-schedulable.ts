import { type Change, type Field, type Read, type Ref, type Step, step } from "../../engine/step.ts";
import { cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside, mayExist } from "./cluster.ts";

/** Nodes that we emptied for a reboot take pods again, also when the run that did so was cut off before it came to that. */
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
      // A cluster that cannot be asked just now may have been left with one by a run that was cut off.
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
