import { type Ref, type Step, step } from "../../engine/step.ts";
import { cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside } from "./cluster.ts";

/** Nodes that we emptied for a reboot take pods again, also when the run that did so was cut off before it came to that. */
export function nodesSchedulable(cluster: Cluster, after: readonly Ref<unknown>[]): Step<string[], void> {
  const { kube } = cluster;
  const id = "addon/nodes-schedulable";
  return step({
    id,
    stage: "addons",
    title: "nodes take pods",
    needs: [...CLUSTER_NEEDS, ...after],
    observe: (c) =>
      lookInside(cluster, id, c, async () => {
        const listed = await c.shared("kubernetes nodes", () => kube.list<Node>({ apiVersion: "v1", kind: "Node" }, c.signal));
        const closed = listed.filter((node) => cordonedFor(node) !== undefined).map(({ metadata }) => metadata.name);
        return { is: "present", actual: closed, owner: "us" };
      }),
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [];
      return seen.actual.map((name) => ({
        id: `${id}/${name}`,
        step: id,
        verb: "update",
        subject: `node ${name}`,
        fields: [{ path: "unschedulable", from: true, to: false }],
      }));
    },
    apply: async (changes, c) => {
      for (const { subject } of changes) await uncordon(kube, subject.replace(/^node /, ""), c);
    },
    output: () => undefined,
  });
}
