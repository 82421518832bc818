import { forbidden } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { read } from "../store/store.ts";
import type { User } from "./authenticate.ts";
import { mayDo, type Rule, rulesFor } from "./authorize.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Refuses to grant more rights than the writer has: checks roles and bindings against the writer's own rights. */
export function refuseEscalation(cluster: SimulatedCluster, user: User, resource: Resource, object: KubeObject): void {
  if (resource.group !== GROUP || user.groups.includes("system:masters")) return;
  const { name, namespace } = object.metadata;
  const place = namespace === undefined ? {} : { namespace };
  const binding = resource.resource.endsWith("bindings");
  const role = binding
    ? { resource: object.roleRef?.kind === "Role" ? "roles" : "clusterroles", name: object.roleRef?.name as string, verb: "bind" }
    : { resource: resource.resource, name, verb: "escalate" };
  if (mayDo(cluster, user, { ...role, group: GROUP, ...place })) return;
  const granted: Rule[] = binding
    ? (read(cluster, builtin(`${role.resource}.${GROUP}`), role.resource === "roles" ? namespace : undefined, role.name)?.rules ??
      [])
    : (object.rules ?? []);
  const missing = missingFrom(rulesFor(cluster, user, namespace), granted);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const list = [...new Set(missing.map(compact))].sort().join("\n");
  throw forbidden(resource, name, `${who} is attempting to grant RBAC permissions not currently held:\n${list}`);
}

/** The parts of a grant that the writer's own rules do not cover, grouped by resource. */
function missingFrom(own: readonly Rule[], granted: readonly Rule[]): Rule[] {
  const missing = new Map<string, Rule & { verbs: string[] }>();
  for (const part of granted.flatMap(partsOf)) {
    if (own.some((rule) => covers(rule, part))) continue;
    const { verbs = [], ...rest } = part;
    const known = missing.get(JSON.stringify(rest));
    if (known) known.verbs.push(...verbs);
    else missing.set(JSON.stringify(rest), { ...rest, verbs: [...verbs] });
  }
  return [...missing.values()];
}

/** Splits a rule into parts of one verb on one resource. */
function partsOf({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: Rule): Rule[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((one) => names.map((named): Rule => ({ verbs: [verb], apiGroups: [group], resources: [one], ...named }))),
    ),
    ...nonResourceURLs.map((url): Rule => ({ verbs: [verb], nonResourceURLs: [url] })),
  ]);
}

function covers(rule: Rule, part: Rule): boolean {
  const has = (list: readonly string[] = [], [one = ""]: readonly string[] = []) => list.includes("*") || list.includes(one);
  if (!has(rule.verbs, part.verbs)) return false;
  if (part.nonResourceURLs) {
    const [url = ""] = part.nonResourceURLs;
    return (rule.nonResourceURLs ?? []).some((own) => own === url || (own.endsWith("*") && url.startsWith(own.slice(0, -1))));
  }
  const named =
    (rule.resourceNames ?? []).length === 0 || (part.resourceNames !== undefined && has(rule.resourceNames, part.resourceNames));
  return has(rule.apiGroups, part.apiGroups) && has(rule.resources, part.resources) && named;
}

/** Formats a rule as the server prints it: {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}. */
function compact(rule: Rule): string {
  const list = (title: string, values: readonly string[] = []) =>
    values.length === 0 ? [] : [`${title}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`];
  const parts = [
    ...list("APIGroups", rule.apiGroups),
    ...list("Resources", rule.resources),
    ...list("ResourceNames", rule.resourceNames),
    ...list("NonResourceURLs", rule.nonResourceURLs),
    ...list("Verbs", rule.verbs),
  ];
  return `{${parts.join(", ")}}`;
}

/** Refuses the approval of a certificate request by users without rights for its signer. */
export function refuseApproval(cluster: SimulatedCluster, user: User, resource: Resource, { metadata, spec }: KubeObject): void {
  if (resourceKey(resource) !== "certificatesigningrequests.certificates.k8s.io") return;
  const signer: string = spec?.signerName ?? "";
  const attempt = { verb: "approve", group: "certificates.k8s.io", resource: "signers" };
  const allowed = [signer, `${signer.split("/")[0]}/*`].some((name) => mayDo(cluster, user, { ...attempt, name }));
  if (allowed) return;
  throw forbidden(resource, metadata.name, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
}
