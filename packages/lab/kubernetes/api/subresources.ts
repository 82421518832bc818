import type { SimulatedCluster } from "../cluster.ts";
import { disruptionsOf } from "../life/budgets.ts";
import { isReady } from "../life/conditions.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all } from "../store/store.ts";
import { ApiError } from "./status.ts";

/** Refuses an eviction that a disruption budget does not allow now; a later attempt may succeed. */
export function refuseDisruption(cluster: SimulatedCluster, pod: KubeObject): void {
  const { namespace, labels } = pod.metadata;
  const budgets = all(cluster, builtin("poddisruptionbudgets.policy"), namespace);
  for (const budget of budgets.filter(({ spec }) => matchesSelector(spec?.selector, labels))) {
    const { needed, healthy } = disruptionsOf(cluster, budget);
    if (!isReady(pod) || healthy > needed) continue;
    const message = `The disruption budget ${budget.metadata.name} needs ${needed} healthy pods and has ${healthy} currently`;
    throw new ApiError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: "DisruptionBudget", message, field: "" }],
    });
  }
}

/** The scale subresource of an object with replicas. */
export function scaleOf({ metadata, spec, status }: KubeObject): Loose {
  const selector = Object.entries((spec.selector?.matchLabels ?? {}) as Record<string, string>);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: metadata.creationTimestamp,
    },
    spec: { replicas: spec.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, selector: selector.map(([key, value]) => `${key}=${value}`).join(",") },
  };
}
