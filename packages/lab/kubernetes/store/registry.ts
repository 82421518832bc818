import type { Lab } from "../../kernel/kernel.ts";
import type { StoredKey, StoredKeys } from "../../talos/view.ts";
import { BUILTIN } from "../resources/builtin.ts";
import { resourceKey } from "../resources/resource.ts";
import { kubernetesState } from "../state.ts";

/** Key prefixes that differ from the resource's name (pkg/registry of Kubernetes). */
const PLACES: Record<string, string> = {
  nodes: "minions",
  services: "services/specs",
  endpoints: "services/endpoints",
  replicationcontrollers: "controllers",
  "ingresses.networking.k8s.io": "ingress",
};
/** API groups whose name is part of the key, as it is for custom resources. */
const WITH_GROUP = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

const builtin = new Map(BUILTIN.map((row) => [resourceKey(row), row]));

function placeOf(key: string): string {
  const row = builtin.get(key);
  if (row && !WITH_GROUP.includes(row.group)) return PLACES[key] ?? row.resource;
  const [resource = "", ...group] = key.split(".");
  return `${group.join(".")}/${resource}`;
}

/** Every object as JSON. A real API server on Talos would store most of them as protobuf, and encrypt Secrets. */
export function storedKeys(lab: Lab, cluster: string, etcdCluster: string): StoredKeys | undefined {
  const state = kubernetesState(lab).clusters[`${cluster}/${etcdCluster}`];
  if (!state) return undefined;
  const keys = Object.entries(state.objects).flatMap(([resource, objects]) => {
    const place = placeOf(resource);
    return Object.values(objects).map((object): StoredKey => {
      const { namespace, name, resourceVersion, ...rest } = object.metadata;
      const path = [place, ...(namespace === undefined ? [] : [namespace]), name].join("/");
      // etcd keeps the revision itself.
      const metadata = { name, ...(namespace !== undefined && { namespace }), ...rest };
      return { key: `/registry/${path}`, value: JSON.stringify({ ...object, metadata }), revision: Number(resourceVersion) };
    });
  });
  return { revision: state.revision, keys };
}
