import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { hasReadyEndpoint } from "../store/ready-endpoint.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all, put, read } from "../store/store.ts";
import { type Condition, withConditions } from "./conditions.ts";

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

const API_SERVICES = builtin("apiservices.apiregistration.k8s.io");

/** Updates the availability of aggregated APIs: one is available when its Service has a ready pod. */
export function lookAfterApiServices(cluster: SimulatedCluster): void {
  for (const service of all(cluster, API_SERVICES)) {
    const conditions = withConditions(cluster, service.status?.conditions, [
      { type: "Available", ...availability(cluster, service) },
    ]);
    put(cluster, API_SERVICES, { ...service, status: { conditions } });
  }
}

function availability(cluster: SimulatedCluster, { spec }: KubeObject): Omit<Condition, "type"> {
  const { name, namespace } = spec?.service ?? {};
  if (name === undefined) return { status: "True", reason: "Local", message: "Local APIServices are always available" };
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = read(cluster, builtin("services"), namespace, name);
  if (!service) return { status: "False", reason: "ServiceNotFound", message: `${where} is not present` };
  if (!hasReadyEndpoint(cluster, namespace, name)) {
    const port = service.spec.ports?.find((it: { port: number }) => it.port === (spec.service.port ?? 443))?.name ?? "";
    const message = `endpoints for ${where} have no addresses with port name ${JSON.stringify(port)}`;
    return { status: "False", reason: "MissingEndpoints", message };
  }
  return { status: "True", reason: "Passed", message: "all checks passed" };
}
