import type { Ref } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Redactor } from "../../lib/secret.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

/** What a check of a running cluster is made from. */
export interface Cluster {
  env: Environment;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  redactor: Redactor;
  /** What must have been done before it makes sense to look. */
  after: readonly Ref<unknown>[];
}
