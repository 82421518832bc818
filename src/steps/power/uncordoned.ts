import { isTransient } from "@talosmith/lib/errors.ts";
import { type Change, type Field, NotYet, type Read, type Ref, type Stage, type Step, step } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import type { Node } from "../../kubernetes/objects.ts";

/** Removes talosmith's cordons of an interrupted maintenance. Talos removes its own. */
export function uncordoned(kube: KubernetesClient, stage: Stage, needs: readonly Ref<unknown>[]): Step<string[], void> {
  const id = "start/uncordon";
  const cordoned = async ({ signal }: Read): Promise<string[]> => {
    const nodes = await kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
    return nodes.filter((node) => cordonedFor(node) !== undefined).map(({ metadata }) => metadata.name);
  };
  return step({
    id,
    stage,
    title: "nodes take pods",
    needs,
    observe: async (c) => {
      try {
        const ready = await kube.ready(c.signal);
        if (ready !== true) throw new NotYet({ later: id }, ready.reason);
        return { is: "present", actual: await cordoned(c), owner: "us" };
      } catch (error) {
        c.signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        throw new NotYet({ later: id }, error.detail ?? error.message);
      }
    },
    plan: (seen) => {
      const change = (fields: Field[]): Change[] => [{ id, step: id, verb: "update", subject: "cordoned nodes", fields }];
      if ("later" in seen) return change([{ path: "unschedulable", from: seen, to: false }]);
      if (seen.is !== "present" || seen.actual.length === 0) return [];
      return change(seen.actual.map((name) => ({ path: name, from: "cordoned", to: "takes pods" })));
    },
    apply: async (_, c) => {
      for (const name of await cordoned(c)) await uncordon(kube, name, c);
    },
    output: () => undefined,
  });
}
