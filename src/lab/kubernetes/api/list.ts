import type { Cluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import type { Resource } from "../resources/resource.ts";
import { fieldSelector, labelSelector, type Matches } from "../store/selectors.ts";
import { all, objectKey } from "../store/store.ts";
import { badRequest } from "./status.ts";

export interface Selection {
  namespace?: string;
  /** A watch on one name. */
  name?: string;
  query: URLSearchParams;
}

/** What a list or a watch is about. */
export function selection(resource: Resource, { namespace, name, query }: Selection): Matches {
  const labels = labelSelector(query.get("labelSelector") ?? "");
  const fields = fieldSelector(resource.kind, query.get("fieldSelector") ?? "");
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    labels(object.metadata.labels ?? {}) &&
    fields(object);
}

export interface Page {
  items: KubeObject[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** One page; a continue token says behind which object the next one begins. */
export function listPage(cluster: Cluster, resource: Resource, wanted: Selection): Page {
  const chosen = all(cluster, resource, wanted.namespace).filter(selection(resource, wanted));
  const { revision, after } = readContinue(wanted.query.get("continue"), cluster);
  const rest = after === undefined ? chosen : chosen.filter((object) => keyOf(object) > after);
  const limit = Number(wanted.query.get("limit") ?? 0);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const left = rest.length - items.length;
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      ...(left > 0 &&
        last && {
          continue: writeContinue(revision, keyOf(last)),
          ...(!isFiltered(wanted.query) && { remainingItemCount: left }),
        }),
    },
  };
}

function isFiltered(query: URLSearchParams): boolean {
  return Boolean(query.get("labelSelector") || query.get("fieldSelector"));
}

function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

function writeContinue(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: after })).toString("base64url");
}

function readContinue(token: string | null, cluster: Cluster): { revision: number; after?: string } {
  if (!token) return { revision: cluster.state.revision };
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as { rv: number; start: string };
    return { revision: rv, after: start };
  } catch {
    throw badRequest("continue key is not valid: illegal base64 data");
  }
}
