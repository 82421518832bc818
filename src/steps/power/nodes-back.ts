import { type Check, check, type Read, type Ref, type Stage } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { listNodes, nodeNamed } from "../../maintenance/standing.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

const LIMIT_MS = 10 * 60_000;

export interface Returning {
  machines: readonly Owned[];
  stage: Stage;
  needs: readonly Ref<unknown>[];
  talos: TalosNodes;
  kubernetes: KubernetesClient;
}

/** Waits until every kubelet has reported since its machine started: until then Kubernetes shows the old state of the nodes. */
export function nodesBack({ machines, stage, needs, talos, kubernetes }: Returning): Check {
  const stale = async (c: Read): Promise<string[]> => {
    const [nodes, boots] = await Promise.all([
      listNodes(kubernetes, c.signal),
      Promise.all(machines.map(({ address }) => talos.node(address).bootId(c.signal))),
    ]);
    return machines.flatMap(({ name }, place) => {
      const reported = nodeNamed(nodes, name)?.status?.nodeInfo?.bootID;
      return reported === undefined || reported === boots[place] ? [] : [name];
    });
  };
  return check({
    id: "start/nodes-back",
    stage,
    title: "kubelets have reported",
    needs,
    run: async (c) => {
      const condition = kubernetesCondition("every kubelet has reported since its machine started", LIMIT_MS, async () => {
        const names = await stale(c);
        return names.length === 0 ? true : { reason: `not yet: ${names.join(", ")}` };
      });
      await c.until(condition);
      return [];
    },
  });
}
