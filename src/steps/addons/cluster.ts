import { isTransient } from "@talosmith/lib/errors.ts";
import { isLater, known, NotYet, type Read, type Seen, type StepId } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Inventory } from "../../platforms/platform.ts";
import { kubernetesApi } from "../bootstrap/kubernetes-api.ts";

/** The cluster that addons are installed into. */
export interface Cluster {
  env: Environment;
  kube: KubernetesClient;
  found: Inventory;
}

/** The steps before any installation. */
export const CLUSTER_NEEDS = [environmentId, kubernetesApi];

/** A control plane's machine exists, so the cluster may exist too. */
export function mayExist({ env, found }: Cluster): boolean {
  return env.config.nodes.some((node) => node.role === "controlplane" && found.there.has(node.name));
}

/** Observes the cluster when its API answers. While planning it may not exist yet; while running it may be unavailable for a moment. */
export async function lookInside<A>(cluster: Cluster, id: StepId, c: Read, look: () => Promise<Seen<A>>): Promise<Seen<A>> {
  known(c, environmentId);
  const waitedFor = c.get(kubernetesApi);
  if (isLater(waitedFor)) {
    if (!mayExist(cluster)) throw new NotYet(waitedFor);
    const ready = await c.shared("kubernetes is ready", () => cluster.kube.ready(c.signal));
    if (ready !== true) throw new NotYet({ later: id }, ready.reason);
  }
  try {
    return await look();
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new NotYet({ later: id }, error.detail ?? error.message);
  }
}
