import type { Incoming, Reply } from "../../kernel/answer.ts";
import type { User } from "../access/authenticate.ts";
import { authorizePath } from "../access/authorize.ts";
import { noSuchResource } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { aggregated, apiVersions, groupList, groupOf, resourceList } from "../discovery/discovery.ts";
import { openapi2, openapi3, openapi3Index } from "../discovery/openapi.ts";
import { contentHash } from "../identity.ts";
import type { Loose } from "../objects.ts";
import { json, text } from "./reply.ts";

const CHECKS = [
  "ping",
  "log",
  "etcd",
  "informer-sync",
  "poststarthook/rbac/bootstrap-roles",
  "poststarthook/start-apiextensions-controllers",
];

/** Answers paths that do not address objects. */
export function answerPath(cluster: SimulatedCluster, user: User, incoming: Incoming): Reply {
  const path = incoming.path.replace(/\/+$/, "") || "/";
  authorizePath(cluster, user, incoming.method.toLowerCase() === "head" ? "get" : incoming.method.toLowerCase(), path);
  const [, root = "", ...rest] = path.split("/");
  switch (root) {
    case "version":
      return json(200, versionOf(cluster));
    case "readyz":
    case "livez":
    case "healthz":
      return health(root, incoming.query.has("verbose"));
    case "api":
    case "apis":
      return discovery(cluster, root, rest, incoming);
    case "openapi":
      return description(cluster, rest, incoming);
    case "":
      return json(200, {
        paths: ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"],
      });
    default:
      return text(404, "404 page not found\n");
  }
}

function health(which: string, verbose: boolean): Reply {
  return text(200, verbose ? `${CHECKS.map((check) => `[+]${check} ok`).join("\n")}\n${which} check passed\n` : "ok");
}

function discovery(cluster: SimulatedCluster, root: "api" | "apis", rest: readonly string[], incoming: Incoming): Reply {
  if (rest.length === 0) {
    const [, version] =
      /g=apidiscovery\.k8s\.io;v=(v2(?:beta1)?);as=APIGroupDiscoveryList/.exec(incoming.headers.accept ?? "") ?? [];
    if (version !== undefined) {
      const reply = json(200, aggregated(cluster, root, `apidiscovery.k8s.io/${version}`));
      const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      return { ...reply, headers: { ...reply.headers, "content-type": type } };
    }
    const [server] = cluster.servers;
    return json(200, root === "api" ? apiVersions(`${server?.address}:6443`) : groupList(cluster));
  }
  const [first = "", second] = rest;
  const found: Loose =
    root === "api"
      ? resourceList(cluster, "", first)
      : second === undefined
        ? groupOf(cluster, first)
        : resourceList(cluster, first, second);
  if (!found) throw noSuchResource();
  return json(200, found);
}

function description(cluster: SimulatedCluster, rest: readonly string[], incoming: Incoming): Reply {
  // There is no protobuf encoder: clients that accept nothing else continue without the OpenAPI document.
  if (!/json|\*\/\*|^$/.test(incoming.headers.accept ?? "")) return text(406, "406 Not Acceptable\n");
  const [version, ...path] = rest;
  const found: Loose =
    version === "v2"
      ? openapi2(cluster)
      : version === "v3"
        ? path.length === 0
          ? openapi3Index(cluster)
          : openapi3(cluster, path.join("/"))
        : undefined;
  return found ? json(200, found) : text(404, "404 page not found\n");
}

/** /version of the API server's image. */
function versionOf(cluster: SimulatedCluster): Loose {
  const gitVersion = cluster.settings.kubernetes;
  const [, major = "1", minor = "0"] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: contentHash(gitVersion, 32),
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
    goVersion: "go1.25.0",
    compiler: "gc",
    platform: "linux/amd64",
  };
}
