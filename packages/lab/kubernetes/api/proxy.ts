import type { Reply } from "../../kernel/answer.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { portFor, reachablePort, readyBehind } from "../pods/reach.ts";
import { NetworkTrouble } from "../pods/trouble.ts";
import { read } from "../store/store.ts";
import type { RouteCall } from "./handle.ts";
import { ApiError, notFound } from "./status.ts";

/** Handles …/pods/NAME:PORT/proxy/PATH and …/services/NAME:PORT/proxy/PATH: passes on the response of an HTTP server in the cluster. */
export function proxied({ cluster, target, incoming }: RouteCall): Reply {
  const { resource, namespace } = target;
  const [, name = "", port = ""] = /^(?:https?:)?([^:]+)(?::([^:]*))?$/.exec(target.name ?? "") ?? [];
  const object = read(cluster, resource, namespace, name);
  if (!object) throw notFound(resource, name);
  const search = incoming.query.size > 0 ? `?${incoming.query}` : "";
  const to = resource.resource === "services" ? behind(cluster, object, port) : { pod: object, port: podPort(object, port) };
  const from = cluster.servers[0]?.name ?? "";
  const address = { host: to.pod.status?.podIP ?? "", port: to.port, path: `${target.path ?? "/"}${search}` };
  try {
    const { status, headers, body } = reachablePort(cluster, from, to.pod, address);
    return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    throw unavailable(`error trying to reach service: ${error.message}`);
  }
}

const unavailable = (why: string) => new ApiError(503, "ServiceUnavailable", why);

function podPort({ spec }: KubeObject, port: string): number {
  return Number(port || (spec.containers?.[0]?.ports?.[0]?.containerPort ?? 80));
}

function behind(cluster: SimulatedCluster, service: KubeObject, wanted: string): { pod: KubeObject; port: number } {
  const ports: Loose[] = service.spec.ports ?? [];
  const { name } = service.metadata;
  const port = wanted === "" && ports.length === 1 ? ports[0] : ports.find((it) => [it.name, String(it.port)].includes(wanted));
  if (!port) throw unavailable(`no service port ${JSON.stringify(wanted)} found for service ${JSON.stringify(name)}`);
  const [pod] = readyBehind(cluster, service);
  if (!pod) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return { pod, port: portFor(pod, port) };
}
