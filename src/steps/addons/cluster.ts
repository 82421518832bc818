import { TalosmithError } from "@talosmith/lib/errors.ts";
import { isLater, known, NotYet, type Read, type Seen, type StepId } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Inventory } from "../../platforms/platform.ts";
import { kubernetesApi } from "../bootstrap/kubernetes-api.ts";

/** What addons are installed into. */
export interface Cluster {
  env: Environment;
  kube: KubernetesClient;
  found: Inventory;
}

/** What must have been done before anything can be installed. */
export const CLUSTER_NEEDS = [environmentId, kubernetesApi];

/** Some control plane's machine is there, so the cluster may be, too. */
export function mayExist({ env, found }: Cluster): boolean {
  return env.config.nodes.some((node) => node.role === "controlplane" && found.there.has(node.name));
}

/**
 * Looks at the cluster when it can be asked. Its API is waited for only when it is needed, so while planning it may just as well not be
 * there yet; and while running it may be gone for a moment.
 */
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
    if (!(error instanceof TalosmithError && error.transient)) throw error;
    throw new NotYet({ later: id }, error.detail ?? error.message);
  }
}
