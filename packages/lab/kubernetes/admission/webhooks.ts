import { ApiError, badRequest } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { hasReadyEndpoint } from "../store/ready-endpoint.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all, read } from "../store/store.ts";

export interface Admission {
  operation: "CREATE" | "UPDATE" | "DELETE";
  resource: Resource;
  subresource?: string;
  object: KubeObject;
  dryRun?: boolean;
}

const KINDS = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];

/**
 * Calls the webhooks that are registered for a write. The lab's programs implement none: a webhook with a ready pod behind its Service admits
 * everything, any other refuses everything, as users experience it.
 */
export function askWebhooks(cluster: SimulatedCluster, admission: Admission): void {
  // A webhook could block its own repair otherwise.
  if (admission.resource.group === "admissionregistration.k8s.io") return;
  for (const kind of KINDS) {
    for (const { webhooks = [] } of all(cluster, builtin(`${kind}.admissionregistration.k8s.io`))) {
      for (const webhook of webhooks as Loose[]) if (concerns(cluster, webhook, admission)) ask(cluster, webhook, admission);
    }
  }
}

function concerns(cluster: SimulatedCluster, webhook: Loose, { operation, resource, subresource, object }: Admission): boolean {
  const full = subresource === undefined ? resource.resource : `${resource.resource}/${subresource}`;
  const any = (list: string[] | undefined, value: string) => (list ?? []).some((one) => one === "*" || one === value);
  const named = (list: string[] | undefined) =>
    any(list, full) ||
    (list ?? []).includes("*/*") ||
    (subresource !== undefined && (list ?? []).some((one) => one === `*/${subresource}` || one === `${resource.resource}/*`));
  const asked = (webhook.rules ?? []).some(
    (rule: Loose) =>
      any(rule.operations, operation) &&
      any(rule.apiGroups, resource.group) &&
      any(rule.apiVersions, resource.version) &&
      (subresource === undefined || !(rule.resources ?? []).includes("*") || named(rule.resources)) &&
      named(rule.resources) &&
      (rule.scope === undefined || rule.scope === "*" || (rule.scope === "Namespaced") === resource.namespaced),
  );
  return (
    asked &&
    matchesSelector(webhook.objectSelector ?? {}, object.metadata.labels) &&
    inChosenNamespace(cluster, webhook, resource, object)
  );
}

function inChosenNamespace(
  cluster: SimulatedCluster,
  { namespaceSelector }: Loose,
  resource: Resource,
  { metadata }: KubeObject,
): boolean {
  if (resourceKey(resource) === "namespaces") return matchesSelector(namespaceSelector ?? {}, metadata.labels);
  if (!resource.namespaced) return true;
  const namespace = read(cluster, builtin("namespaces"), undefined, metadata.namespace ?? "");
  return matchesSelector(namespaceSelector ?? {}, namespace?.metadata.labels);
}

function ask(cluster: SimulatedCluster, webhook: Loose, { dryRun }: Admission): void {
  if (dryRun && !["None", "NoneOnDryRun"].includes(webhook.sideEffects)) {
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  }
  const { service } = webhook.clientConfig ?? {};
  // A webhook outside the cluster is assumed to be available.
  if (!service) return;
  const problem = reasonAgainst(cluster, service);
  if (problem === undefined || webhook.failurePolicy === "Ignore") return;
  const path = `${service.path ?? ""}?timeout=${webhook.timeoutSeconds ?? 10}s`;
  const url = `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}${path}`;
  const why = `failed calling webhook ${JSON.stringify(webhook.name)}: failed to call webhook: Post ${JSON.stringify(url)}: ${problem}`;
  throw new ApiError(500, "InternalError", `Internal error occurred: ${why}`, {
    causes: [{ reason: "", message: why, field: "" }],
  });
}

function reasonAgainst(cluster: SimulatedCluster, { name, namespace }: Loose): string | undefined {
  if (!read(cluster, builtin("services"), namespace, name)) return `service ${JSON.stringify(name)} not found`;
  return hasReadyEndpoint(cluster, namespace, name) ? undefined : `no endpoints available for service ${JSON.stringify(name)}`;
}
