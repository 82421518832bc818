import type { IncomingMessage } from "node:http";
import { ApiError } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { authenticate, type User } from "./authenticate.ts";
import { authorize } from "./authorize.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
const EXTRA = "impersonate-extra-";

/** The user that a request acts as: its sender, or the user in its Impersonate-* headers if the sender may impersonate them. */
export function userOf(cluster: SimulatedCluster, request: IncomingMessage): User {
  const sender = authenticate(cluster, request);
  const { headersDistinct: headers } = request;
  const [name = ""] = headers["impersonate-user"] ?? [];
  const groups = headers["impersonate-group"] ?? [];
  const [uid] = headers["impersonate-uid"] ?? [];
  const extras = Object.entries(headers).flatMap(([header, values = []]) =>
    header.startsWith(EXTRA) ? values.map((value) => ({ key: decoded(header.slice(EXTRA.length)), value })) : [],
  );
  if (name === "") {
    if (groups.length === 0 && uid === undefined && extras.length === 0) return sender;
    throw new ApiError(
      500,
      "InternalError",
      "Internal error occurred: requested groups, uid or extra without impersonating a user",
    );
  }
  const check = (group: string, resource: string, wanted: string, more: { namespace?: string; subresource?: string } = {}) =>
    authorize(cluster, sender, { verb: "impersonate", group, resource, name: wanted, ...more });
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  if (namespace !== undefined && account !== undefined) check("", "serviceaccounts", account, { namespace });
  else check("", "users", name);
  for (const group of groups) check("", "groups", group);
  for (const { key, value } of extras) check("authentication.k8s.io", "userextras", value, { subresource: key });
  if (uid !== undefined) check("authentication.k8s.io", "uids", uid);
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { name, groups: withStanding(name, groups.length > 0 ? groups : own) };
}

/** Adds the group of authenticated or unauthenticated users, unless the request names one of the two. */
function withStanding(name: string, groups: readonly string[]): string[] {
  const isAnonymous = name === "system:anonymous";
  const decided = groups.includes(UNAUTHENTICATED) || (!isAnonymous && groups.includes(AUTHENTICATED));
  return decided ? [...groups] : [...groups, isAnonymous ? UNAUTHENTICATED : AUTHENTICATED];
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
