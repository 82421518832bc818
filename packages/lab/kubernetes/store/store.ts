import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import type { HistoryEntry } from "../state.ts";
import { lookSoon } from "./look.ts";
import { isSameData } from "./sameness.ts";
import { tellWatchers } from "./watchers.ts";

/** Number of changes kept for watches. */
const HISTORY = 200;

type Of = Pick<Resource, "group" | "resource">;

export function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ""}/${name}`;
}

export function read(cluster: SimulatedCluster, of: Of, namespace: string | undefined, name: string): KubeObject | undefined {
  const all = cluster.state.objects[resourceKey(of)];
  const key = objectKey(namespace, name);
  return all && Object.hasOwn(all, key) ? all[key] : undefined;
}

type Table = Record<string, KubeObject>;

/** Controllers read whole tables in every run: each is sorted once per change. */
const inOrder = new WeakMap<Table, KubeObject[]>();

function sorted(table: Table): KubeObject[] {
  const known = inOrder.get(table);
  if (known) return known;
  const objects = Object.keys(table)
    .sort()
    .flatMap((key) => table[key] ?? []);
  inOrder.set(table, objects);
  return objects;
}

/** All objects in etcd's order: by namespace and name. */
export function all(cluster: SimulatedCluster, of: Of, namespace?: string): KubeObject[] {
  const table = cluster.state.objects[resourceKey(of)];
  if (!table) return [];
  return namespace === undefined ? [...sorted(table)] : sorted(table).filter(({ metadata }) => metadata.namespace === namespace);
}

/** The objects at this revision, which must not be older than the history. */
export function allAt(cluster: SimulatedCluster, of: Of, revision: number, namespace?: string): KubeObject[] {
  const { state } = cluster;
  if (revision >= state.revision) return all(cluster, of, namespace);
  const objects: Table = { ...state.objects[resourceKey(of)] };
  for (const { revision: at, resource, object, before } of [...state.history].reverse()) {
    if (at <= revision) break;
    if (resource !== resourceKey(of)) continue;
    const key = objectKey(object.metadata.namespace, object.metadata.name);
    if (before) objects[key] = before;
    else delete objects[key];
  }
  const keys = Object.keys(objects).filter((key) => namespace === undefined || key.startsWith(`${namespace}/`));
  return keys.sort().flatMap((key) => objects[key] ?? []);
}

/** Stores an object with the next resourceVersion. An unchanged object keeps its version, as in reality. */
export function put(cluster: SimulatedCluster, of: Of, object: KubeObject): KubeObject {
  const { namespace, name } = object.metadata;
  const before = read(cluster, of, namespace, name);
  if (before && isSameData(withVersion(object, before.metadata.resourceVersion), before)) return before;
  const stored = withVersion(object, String(++cluster.state.revision));
  const table = cluster.state.objects[resourceKey(of)] ?? {};
  cluster.state.objects[resourceKey(of)] = table;
  table[objectKey(namespace, name)] = stored;
  inOrder.delete(table);
  record(cluster, {
    revision: cluster.state.revision,
    resource: resourceKey(of),
    type: before ? "MODIFIED" : "ADDED",
    object: stored,
    ...(before && { before }),
  });
  return stored;
}

/** Removes an object, despite its finalizers. */
export function remove(cluster: SimulatedCluster, of: Of, object: KubeObject): KubeObject {
  const { namespace, name } = object.metadata;
  const before = read(cluster, of, namespace, name);
  if (!before) return object;
  const table = cluster.state.objects[resourceKey(of)] ?? {};
  delete table[objectKey(namespace, name)];
  inOrder.delete(table);
  const last = withVersion(before, String(++cluster.state.revision));
  record(cluster, { revision: cluster.state.revision, resource: resourceKey(of), type: "DELETED", object: last, before });
  return last;
}

function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function record(cluster: SimulatedCluster, entry: HistoryEntry): void {
  const { history } = cluster.state;
  history.push(entry);
  if (history.length > 2 * HISTORY) {
    const dropped = history.splice(0, history.length - HISTORY);
    cluster.state.compacted = dropped.at(-1)?.revision ?? 0;
  }
  tellWatchers(cluster, entry);
  lookSoon(cluster);
}
