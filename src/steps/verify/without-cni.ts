import { podNetwork } from "../../config/pod-network.ts";
import type { Finding } from "../../engine/step.ts";
import { lackNetwork } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import type { Looks } from "./looks.ts";

/** cluster.cni is none, nothing in the config brings a network, and the user has not installed one yet. */
export async function lacksNetwork({ env }: Pick<Cluster, "env">, see: Pick<Looks, "kubernetesNodes">): Promise<boolean> {
  return podNetwork(env.config) === "left" && lackNetwork(await see.kubernetesNodes());
}

/** Skips a check that needs a pod network; the check of the nodes reports the reason once. */
export function leftOut(what: string): Finding[] {
  return [{ level: "ok", code: "NO_CNI", message: `${what}: skipped, there is no pod network yet` }];
}
