import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all, put } from "../store/store.ts";
import { isFinished, isReady, withConditions } from "./conditions.ts";
import { portion } from "./pods-of.ts";

const BUDGETS = builtin("poddisruptionbudgets.policy");

export interface Disruptions {
  expected: number;
  healthy: number;
  needed: number;
}

/** The number of disruptions that a budget currently allows. */
export function disruptionsOf(cluster: SimulatedCluster, { metadata, spec }: KubeObject): Disruptions {
  const pods = all(cluster, builtin("pods"), metadata.namespace).filter(
    (pod) => !isFinished(pod) && matchesSelector(spec?.selector, pod.metadata.labels),
  );
  const expected = pods.length;
  const needed =
    spec?.minAvailable === undefined
      ? expected - portion(spec?.maxUnavailable ?? 0, expected, true)
      : portion(spec.minAvailable, expected, true);
  return { expected, healthy: pods.filter(isReady).length, needed: Math.max(0, needed) };
}

export function lookAfterBudgets(cluster: SimulatedCluster): void {
  for (const budget of all(cluster, BUDGETS)) {
    const { expected, healthy, needed } = disruptionsOf(cluster, budget);
    const allowed = Math.max(0, healthy - needed);
    const conditions = withConditions(
      cluster,
      budget.status?.conditions,
      [
        allowed > 0
          ? { type: "DisruptionAllowed", status: "True", reason: "SufficientPods", message: "" }
          : { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", message: "" },
      ],
      { observedGeneration: budget.metadata.generation },
    );
    put(cluster, BUDGETS, {
      ...budget,
      status: {
        conditions,
        currentHealthy: healthy,
        desiredHealthy: needed,
        disruptionsAllowed: allowed,
        expectedPods: expected,
        observedGeneration: budget.metadata.generation,
      },
    });
  }
}
