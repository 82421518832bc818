import type { Cluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all } from "../store/store.ts";
import { ApiError } from "./status.ts";

/** A disruption budget may have something against a pod's leaving: asked again later, it may not. */
export function refuseDisruption(cluster: Cluster, pod: KubeObject): void {
  const { namespace, labels } = pod.metadata;
  const budgets = all(cluster, builtin("poddisruptionbudgets.policy"), namespace);
  for (const { metadata, spec } of budgets.filter((budget) => matchesSelector(budget.spec?.selector, labels))) {
    const pods = all(cluster, builtin("pods"), namespace).filter((other) =>
      matchesSelector(spec.selector, other.metadata.labels),
    );
    const healthy = pods.filter(isHealthy).length;
    const needed =
      spec.minAvailable === undefined
        ? pods.length - part(spec.maxUnavailable ?? 0, pods.length)
        : part(spec.minAvailable, pods.length);
    if (!isHealthy(pod) || healthy > needed) continue;
    const message = `The disruption budget ${metadata.name} needs ${needed} healthy pods and has ${healthy} currently`;
    throw new ApiError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: "DisruptionBudget", message, field: "" }],
    });
  }
}

function isHealthy({ metadata, status }: KubeObject): boolean {
  const ready = (status?.conditions ?? []).some((it: Loose) => it.type === "Ready" && it.status === "True");
  return ready && metadata.deletionTimestamp === undefined;
}

function part(value: number | string, of: number): number {
  return typeof value === "string" ? Math.ceil((Number.parseFloat(value) / 100) * of) : value;
}
