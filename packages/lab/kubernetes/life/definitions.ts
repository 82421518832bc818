import { deleteObject } from "../api/delete.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { builtin, resourcesOf } from "../resources/catalogue.ts";
import { all, put, read, remove } from "../store/store.ts";
import { withConditions } from "./conditions.ts";

const DEFINITIONS = builtin("customresourcedefinitions.apiextensions.k8s.io");
const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/** Accepts new definitions; deletes the objects of a deleted one. */
export function lookAfterDefinitions(cluster: SimulatedCluster): void {
  for (const definition of all(cluster, DEFINITIONS)) {
    if (definition.metadata.deletionTimestamp === undefined) establish(cluster, definition);
    else empty(cluster, definition);
  }
}

function establish(cluster: SimulatedCluster, definition: KubeObject): void {
  const { spec, status } = definition;
  const storage: string[] = (spec.versions ?? [])
    .filter((version: { storage: boolean }) => version.storage)
    .map((version: { name: string }) => version.name);
  put(cluster, DEFINITIONS, {
    ...definition,
    status: {
      acceptedNames: spec.names,
      storedVersions: [...new Set([...(status?.storedVersions ?? []), ...storage])],
      conditions: withConditions(cluster, status?.conditions, [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ]),
    },
  });
}

function empty(cluster: SimulatedCluster, definition: KubeObject): void {
  const { spec, metadata, status } = definition;
  const served = resourcesOf(cluster).find((row) => row.custom && row.group === spec.group && row.resource === spec.names.plural);
  const objects = served ? all(cluster, served) : [];
  for (const object of objects) {
    if (served && object.metadata.deletionTimestamp === undefined) deleteObject(cluster, served, object, {});
  }
  if (served && all(cluster, served).length > 0) {
    const condition = {
      type: "Terminating",
      status: "True" as const,
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    };
    put(cluster, DEFINITIONS, {
      ...definition,
      status: { ...status, conditions: withConditions(cluster, status?.conditions, [condition]) },
    });
    return;
  }
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== CLEANUP);
  const current = read(cluster, DEFINITIONS, undefined, metadata.name);
  if (!current) return;
  if (finalizers.length === 0) remove(cluster, DEFINITIONS, current);
  else put(cluster, DEFINITIONS, { ...current, metadata: { ...current.metadata, finalizers } });
}
