import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { KubernetesObject, Pod } from "./objects.ts";

export interface DisruptionBudget extends KubernetesObject {
  spec?: { selector?: LabelSelector };
  status?: { disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number };
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export function listBudgets(kube: KubernetesClient, signal: AbortSignal): Promise<DisruptionBudget[]> {
  return kube.list<DisruptionBudget>({ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }, signal);
}

export function budgetName({ metadata }: DisruptionBudget): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

/** The budgets that protect a pod. */
export async function budgetsOf(kube: KubernetesClient, pod: Pod, signal: AbortSignal): Promise<DisruptionBudget[]> {
  return (await listBudgets(kube, signal)).filter((budget) => protects(budget, pod));
}

export function protects({ metadata, spec }: DisruptionBudget, pod: Pod): boolean {
  if (metadata.namespace !== pod.metadata.namespace) return false;
  // In policy/v1 an empty selector selects every pod of the namespace, and a missing one none.
  const { selector } = spec ?? {};
  return selector !== undefined && matches(selector, pod.metadata.labels ?? {});
}

function matches({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Record<string, string>): boolean {
  const isAsWished = ({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }): boolean => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      default:
        return value === undefined;
    }
  };
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(isAsWished);
}
