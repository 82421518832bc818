import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all, put } from "../store/store.ts";

const ROLES = builtin("clusterroles.rbac.authorization.k8s.io");

/** Aggregates roles: each labelled role adds its rules. */
export function aggregateRoles(cluster: SimulatedCluster): void {
  const roles = all(cluster, ROLES);
  for (const role of roles) {
    const selectors: Loose[] | undefined = role.aggregationRule?.clusterRoleSelectors;
    if (selectors) put(cluster, ROLES, { ...role, rules: rulesFor(role, selectors, roles) });
  }
}

function rulesFor(role: KubeObject, selectors: Loose[], roles: readonly KubeObject[]): Loose[] {
  const rules = selectors
    .flatMap((selector) => roles.filter((other) => other !== role && matchesSelector(selector, other.metadata.labels)))
    .flatMap((other) => other.rules ?? []);
  return [...new Map(rules.map((rule: Loose) => [JSON.stringify(rule), rule])).values()];
}
