import type { User } from "../access/authenticate.ts";
import { type Attempt, mayDo, mayVisit, rulesFor } from "../access/authorize.ts";
import { issueToken, readToken } from "../access/token.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose, Manifest } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import type { Resource } from "../resources/resource.ts";
import { read } from "../store/store.ts";

type Review = (cluster: SimulatedCluster, user: User, asked: Manifest) => Loose;

/** Queries in the form of objects: answered, never stored. */
const REVIEWS: Record<string, Review> = {
  selfsubjectaccessreviews: (cluster, user, { spec }) => decision(cluster, user, spec),
  subjectaccessreviews: (cluster, _, { spec }) => decision(cluster, { name: spec?.user ?? "", groups: spec?.groups ?? [] }, spec),
  localsubjectaccessreviews: (cluster, _, { spec }) =>
    decision(cluster, { name: spec?.user ?? "", groups: spec?.groups ?? [] }, spec),
  selfsubjectrulesreviews: (cluster, user, { spec }) => {
    const rules = rulesFor(cluster, user, spec?.namespace);
    return {
      resourceRules: rules.filter((rule) => rule.resources),
      nonResourceRules: rules.filter((rule) => rule.nonResourceURLs),
      incomplete: false,
    };
  },
  selfsubjectreviews: (_, user) => ({ userInfo: { username: user.name, groups: user.groups } }),
  tokenreviews: (cluster, _, { spec }) => {
    const claims = readToken(cluster, spec?.token ?? "");
    if (!claims) return { user: {}, error: "[invalid bearer token]" };
    const username = `system:serviceaccount:${claims.namespace}:${claims.serviceAccount.name}`;
    return { authenticated: true, user: { username, uid: claims.serviceAccount.uid } };
  },
};

export function review(cluster: SimulatedCluster, resource: Resource, user: User, asked: Manifest): Loose {
  const status = REVIEWS[resource.resource]?.(cluster, user, asked);
  return status && { ...asked, metadata: { ...asked.metadata }, status };
}

function decision(cluster: SimulatedCluster, user: User, spec: Loose): Loose {
  const wanted = spec?.resourceAttributes;
  const visited = spec?.nonResourceAttributes;
  if (!wanted) return { allowed: mayVisit(cluster, user, visited?.verb ?? "", visited?.path ?? "") };
  const attempt: Attempt = {
    verb: wanted.verb ?? "",
    group: wanted.group ?? "",
    resource: wanted.resource ?? "",
    ...(wanted.subresource && { subresource: wanted.subresource }),
    ...(wanted.namespace && { namespace: wanted.namespace }),
    ...(wanted.name && { name: wanted.name }),
  };
  return { allowed: mayDo(cluster, user, attempt) };
}

const AN_HOUR = 3600;

/** POST …/serviceaccounts/:name/token */
export function tokenRequest(cluster: SimulatedCluster, account: KubeObject, asked: Manifest): Loose {
  const seconds = asked.spec?.expirationSeconds ?? AN_HOUR;
  const bound = asked.spec?.boundObjectRef;
  const pod = bound?.kind === "Pod" ? read(cluster, builtin("pods"), account.metadata.namespace, bound.name) : undefined;
  const token = issueToken(cluster, {
    namespace: account.metadata.namespace ?? "",
    serviceAccount: { name: account.metadata.name, uid: account.metadata.uid },
    ...(pod && { pod: { name: pod.metadata.name, uid: pod.metadata.uid } }),
    ...(asked.spec?.audiences?.length > 0 && { audiences: asked.spec.audiences }),
    seconds,
  });
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name: account.metadata.name,
      namespace: account.metadata.namespace,
      creationTimestamp: timestamp(cluster.lab.now()),
    },
    spec: {
      audiences: asked.spec?.audiences ?? [cluster.settings.endpoint],
      expirationSeconds: seconds,
      boundObjectRef: bound ?? null,
    },
    status: { token, expirationTimestamp: timestamp(cluster.lab.now() + seconds * 1000) },
  };
}
