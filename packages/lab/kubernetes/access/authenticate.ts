import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { unauthorized } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { builtin } from "../resources/catalogue.ts";
import { read } from "../store/store.ts";
import { readToken } from "./token.ts";

export interface User {
  name: string;
  groups: readonly string[];
}

/**
 * Authenticates by a client certificate of the cluster's CA or by a service account token. Talos disables anonymous access: without either it is
 * 401.
 */
export function authenticate(cluster: SimulatedCluster, request: IncomingMessage): User {
  const user = byCertificate(request) ?? byToken(cluster, request);
  if (!user) throw unauthorized();
  return user;
}

function byCertificate(request: IncomingMessage): User | undefined {
  const socket = request.socket as Partial<TLSSocket>;
  if (!socket.authorized || !socket.getPeerCertificate) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (!subject?.CN) return undefined;
  const organizations: string | string[] | undefined = subject.O;
  return { name: subject.CN, groups: [organizations ?? [], "system:authenticated"].flat() };
}

function byToken(cluster: SimulatedCluster, request: IncomingMessage): User | undefined {
  const [, token] = /^bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const claims = token === undefined ? undefined : readToken(cluster, token);
  if (!claims) return undefined;
  const { namespace, serviceAccount, pod } = claims;
  // A token is valid as long as the objects it was issued for exist.
  const account = read(cluster, builtin("serviceaccounts"), namespace, serviceAccount.name);
  if (account?.metadata.uid !== serviceAccount.uid) return undefined;
  if (pod && read(cluster, builtin("pods"), namespace, pod.name)?.metadata.uid !== pod.uid) return undefined;
  return {
    name: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}
