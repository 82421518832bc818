import { ApiError, forbidden } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, read } from "../store/store.ts";
import type { User } from "./authenticate.ts";

/** An action that a user attempts. */
export interface Attempt {
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

export interface Rule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

export function authorize(cluster: SimulatedCluster, user: User, attempt: Attempt): void {
  if (mayDo(cluster, user, attempt)) return;
  const { verb, group, resource, subresource, namespace, name = "" } = attempt;
  const full = subresource ? `${resource}/${subresource}` : resource;
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  throw forbidden(
    { group, resource },
    name,
    `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`,
  );
}

export function mayVisit(cluster: SimulatedCluster, user: User, verb: string, path: string): boolean {
  return rulesFor(cluster, user, undefined).some(
    (rule) =>
      has(rule.verbs, verb) &&
      (rule.nonResourceURLs ?? []).some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)))),
  );
}

export function authorizePath(cluster: SimulatedCluster, user: User, verb: string, path: string): void {
  if (mayVisit(cluster, user, verb, path)) return;
  throw new ApiError(
    403,
    "Forbidden",
    `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`,
    {},
  );
}

export function mayDo(cluster: SimulatedCluster, user: User, attempt: Attempt): boolean {
  if (user.groups.includes("system:masters")) return true;
  const { verb, group, resource, subresource, name } = attempt;
  const full = subresource ? `${resource}/${subresource}` : resource;
  return rulesFor(cluster, user, attempt.namespace).some(
    (rule) =>
      has(rule.verbs, verb) &&
      has(rule.apiGroups, group) &&
      (has(rule.resources, full) || (subresource !== undefined && (rule.resources ?? []).includes(`*/${subresource}`))) &&
      ((rule.resourceNames ?? []).length === 0 || (name !== undefined && (rule.resourceNames ?? []).includes(name))),
  );
}

/** All rules granted to a user in a namespace, cluster-wide grants included. */
export function rulesFor(cluster: SimulatedCluster, user: User, namespace: string | undefined): Rule[] {
  if (user.groups.includes("system:masters")) {
    return [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
  }
  const wide = all(cluster, builtin("clusterrolebindings.rbac.authorization.k8s.io"));
  const narrow = namespace ? all(cluster, builtin("rolebindings.rbac.authorization.k8s.io"), namespace) : [];
  return [...wide, ...narrow].filter((binding) => isSubject(binding, user)).flatMap((binding) => rulesOf(cluster, binding));
}

function rulesOf(cluster: SimulatedCluster, { metadata, roleRef }: KubeObject): Rule[] {
  const inNamespace = roleRef?.kind === "Role";
  const role = inNamespace
    ? read(cluster, builtin("roles.rbac.authorization.k8s.io"), metadata.namespace, roleRef.name)
    : read(cluster, builtin("clusterroles.rbac.authorization.k8s.io"), undefined, roleRef?.name);
  return role?.rules ?? [];
}

function isSubject({ metadata, subjects = [] }: KubeObject, user: User): boolean {
  return subjects.some(({ kind, name, namespace = metadata.namespace }: Loose) => {
    if (kind === "User") return name === user.name;
    if (kind === "Group") return user.groups.includes(name);
    return kind === "ServiceAccount" && user.name === `system:serviceaccount:${namespace}:${name}`;
  });
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(value));
}
