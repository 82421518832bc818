import type { Conversation, Handling, Incoming, Reply } from "../../kernel/answer.ts";
import type { Call, Lab } from "../../kernel/kernel.ts";
import { userOf } from "../access/impersonate.ts";
import { checkAccess, existing, handle, type RouteCall } from "../api/handle.ts";
import { readLogs } from "../api/logs.ts";
import { proxied } from "../api/proxy.ts";
import { ApiError, badRequest, noSuchResource, unauthorized } from "../api/status.ts";
import { isConnect, type RequestTarget, readTarget } from "../api/target.ts";
import { livingCluster, type SimulatedCluster } from "../cluster.ts";
import { KUBERNETES } from "../state.ts";
import { acceptedType, inType } from "./negotiate.ts";
import { answerPath } from "./paths.ts";
import { answerReply, failure, json, text } from "./reply.ts";

/** How the API server of a cluster answers requests that do not stream. */
export function apiConversation(lab: Lab, key: string): Conversation {
  return {
    understand: (incoming) => understand(lab, key, incoming),
    refuse: ({ status, message }) => {
      const reply = json(status, new ApiError(status, reasonOf(status, message), message, {}).status());
      return status === 429 ? { ...reply, headers: { ...reply.headers, "retry-after": "1" } } : reply;
    },
    fail: failure,
  };
}

export function clusterAt(lab: Lab, key: string): SimulatedCluster {
  const cluster = livingCluster(lab, key);
  if (!cluster) throw new ApiError(503, "ServiceUnavailable", "the server is currently unable to handle the request", {});
  return cluster;
}

function understand(lab: Lab, key: string, incoming: Incoming): Handling {
  const cluster = clusterAt(lab, key);
  const target = readTarget(cluster, incoming.path);
  return { call: callOf(incoming, target), handle: () => answer(clusterAt(lab, key), target, incoming) };
}

function answer(cluster: SimulatedCluster, target: RequestTarget, incoming: Incoming): Reply {
  const user = userOf(cluster, incoming.request);
  if (target.is === "path") return answerPath(cluster, user, incoming);
  if (target.is === "unknown") {
    if (!user.groups.includes("system:authenticated")) throw unauthorized();
    throw noSuchResource();
  }
  const asked: RouteCall = { cluster, user, incoming, target };
  checkAccess(asked);
  if (isConnect(target)) {
    existing(asked);
    throw badRequest("Upgrade request required");
  }
  if (target.subresource === "proxy" && target.resource.subresources.includes("proxy")) return proxied(asked);
  if (target.subresource === "log") {
    const pod = existing(asked);
    const { lines, show } = readLogs(cluster, pod, incoming.query);
    return text(pod.spec.nodeName ? 200 : 204, lines.map(show).join(""));
  }
  const type = acceptedType(incoming);
  return inType(type, answerReply(asked, handle(asked)));
}

/** The call as faults and the record name it: "GET /api/v1/namespaces/:namespace/pods" about "pods kube-system". */
export function callOf(incoming: Pick<Incoming, "method" | "query" | "body" | "headers">, target: RequestTarget): Call {
  const watch = ["1", "true"].includes(incoming.query.get("watch") ?? "") ? " (watch)" : "";
  const isTrial = incoming.query.get("dryRun") === "All";
  return {
    service: KUBERNETES,
    site: `${incoming.method} ${target.is === "unknown" ? "(unknown)" : target.site}${watch}${isTrial ? " (dry run)" : ""}`,
    resource: target.is === "object" ? resourceOf(incoming, target) : target.site,
    mutating: !isTrial && !["GET", "HEAD"].includes(incoming.method),
    // Users authenticate with certificates, pods with tokens.
    ...(incoming.headers.authorization !== undefined && { inside: true as const }),
  };
}

function resourceOf(incoming: Pick<Incoming, "method" | "body">, target: Extract<RequestTarget, { is: "object" }>): string {
  const name = target.name ?? (incoming.method === "POST" ? nameIn(incoming.body) : undefined);
  return [target.resource.resource, [target.namespace, name].filter(Boolean).join("/")].filter(Boolean).join(" ");
}

function nameIn(body: Buffer): string | undefined {
  try {
    const { metadata } = JSON.parse(body.toString("utf8")) as { metadata?: { name?: string; generateName?: string } };
    return metadata?.name ?? metadata?.generateName;
  } catch {
    return undefined;
  }
}

function reasonOf(status: number, message: string): string {
  if (status === 409 && message.endsWith("already exists")) return "AlreadyExists";
  const reasons: Record<number, string> = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
  };
  return reasons[status] ?? "";
}
