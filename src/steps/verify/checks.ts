import type { Check, Ref } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { endpointAnswers } from "./endpoint-answers.ts";
import { etcdHealthy } from "./etcd-healthy.ts";
import { kubernetesNodes } from "./kubernetes-nodes.ts";
import { systemPods } from "./system-pods.ts";
import { talosVersions } from "./talos-versions.ts";

/** What a check of a running cluster is made from. */
export interface Cluster {
  env: Environment;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  /** What must have been done before it makes sense to look. */
  after: readonly Ref<unknown>[];
}

/** Is the cluster what the config says? One finding for each thing that was looked at. */
export function verifyChecks(cluster: Cluster): Check[] {
  return [talosVersions, etcdHealthy, endpointAnswers, kubernetesNodes, systemPods].map((make) => make(cluster));
}
