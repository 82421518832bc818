import { deleteObject } from "../api/delete.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin, resourcesOf } from "../resources/catalogue.ts";
import { resourceKey } from "../resources/resource.ts";
import { all, put, read, remove } from "../store/store.ts";

const NAMESPACES = builtin("namespaces");

/** Creates the default service account and the cluster's CA in each namespace; empties a deleted one first. */
export function lookAfterNamespaces(cluster: SimulatedCluster): void {
  for (const namespace of all(cluster, NAMESPACES)) {
    if (namespace.metadata.deletionTimestamp === undefined) furnish(cluster, namespace);
    else empty(cluster, namespace);
  }
}

function furnish(cluster: SimulatedCluster, { metadata: { name } }: KubeObject): void {
  if (!read(cluster, builtin("serviceaccounts"), name, "default")) {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    createObject(cluster, builtin("serviceaccounts"), name, account, quietly());
  }
  const data = { "ca.crt": cluster.settings.ca.certificate };
  const known = read(cluster, builtin("configmaps"), name, "kube-root-ca.crt");
  if (known) put(cluster, builtin("configmaps"), { ...known, data });
  else {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" }, data };
    createObject(cluster, builtin("configmaps"), name, map, quietly());
  }
}

function empty(cluster: SimulatedCluster, namespace: KubeObject): void {
  const { name } = namespace.metadata;
  const once = new Map(resourcesOf(cluster).map((resource) => [resourceKey(resource), resource]));
  let left = 0;
  for (const resource of once.values()) {
    if (!resource.namespaced) continue;
    for (const object of all(cluster, resource, name)) {
      if (object.metadata.deletionTimestamp === undefined) deleteObject(cluster, resource, object, {});
    }
    left += all(cluster, resource, name).length;
  }
  if (left > 0) return;
  const current = read(cluster, NAMESPACES, undefined, name);
  if (current && (current.metadata.finalizers ?? []).length === 0) remove(cluster, NAMESPACES, current);
}
