import type { SimulatedCluster } from "../cluster.ts";
import { findResource } from "../resources/catalogue.ts";
import type { Resource } from "../resources/resource.ts";

/** The resource or path that a request addresses. */
export type RequestTarget =
  | {
      is: "object";
      resource: Resource;
      namespace?: string;
      name?: string;
      subresource?: string;
      /** The path after "proxy". */
      path?: string;
      site: string;
    }
  /** A known group and version, an unknown resource. */
  | { is: "unknown"; site: string }
  | { is: "path"; site: string };

export function readTarget(cluster: SimulatedCluster, path: string): RequestTarget {
  const segments = path.split("/").filter((segment) => segment !== "");
  const words = segments.map(decoded);
  const place = placeOf(words);
  if (!place) return { is: "path", site: `/${words.join("/")}` };
  const { group, version, rest, prefix } = place;
  const [first = "", second, third, ...more] = rest;
  // Objects follow a namespace in the path, but "status" and "finalize" are the namespace's own subresources.
  const inside = first === "namespaces" && third !== undefined && !["status", "finalize"].includes(third);
  const [resourceName, name, below] = inside
    ? [third, more[0], more.slice(1).join("/") || undefined]
    : [first, second, [third, ...more].filter(Boolean).join("/") || undefined];
  const [, subresource = below, proxiedPath] = /^(proxy)(\/.*)?$/.exec(below ?? "") ?? [];
  const resource = findResource(cluster, group, version, resourceName);
  const site = `${prefix}${inside ? "/namespaces/:namespace" : ""}/${resourceName}${name === undefined ? "" : "/:name"}${subresource ? `/${subresource}` : ""}`;
  if (!resource || (inside && !resource.namespaced)) return { is: "unknown", site };
  return {
    is: "object",
    resource,
    ...(inside && second !== undefined && { namespace: second }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
    ...(proxiedPath !== undefined && { path: proxiedPath }),
    site,
  };
}

/** Whether the request takes over the connection. */
export function isConnect({ resource, subresource }: Extract<RequestTarget, { is: "object" }>): boolean {
  return resource.group === "" && resource.resource === "pods" && ["exec", "attach", "portforward"].includes(subresource ?? "");
}

function placeOf(
  words: readonly string[],
): { group: string; version: string; rest: readonly string[]; prefix: string } | undefined {
  const [root, a = "", b = ""] = words;
  if (root === "api" && words.length > 2) return { group: "", version: a, rest: words.slice(2), prefix: `/api/${a}` };
  if (root === "apis" && words.length > 3) return { group: a, version: b, rest: words.slice(3), prefix: `/apis/${a}/${b}` };
  return undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
