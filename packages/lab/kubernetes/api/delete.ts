import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { resourcesOf } from "../resources/catalogue.ts";
import { apiVersionOf, type Resource, resourceKey } from "../resources/resource.ts";
import { all, put, remove } from "../store/store.ts";
import { conflict } from "./status.ts";

export interface Deleting {
  propagation?: string;
  graceSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/** Deletes an object. Returns it while finalizers or a grace period keep it, undefined when it is gone. */
export function deleteObject(
  cluster: SimulatedCluster,
  resource: Resource,
  object: KubeObject,
  how: Deleting,
): KubeObject | undefined {
  checkPreconditions(resource, object, how);
  if (how.dryRun) return undefined;
  if (how.propagation === "Orphan") orphan(cluster, object);
  // The garbage collector finds out whether it has dependents.
  const foreground = how.propagation === "Foreground";
  // A definition stays until its objects are gone.
  const cleanup = resourceKey(resource) === "customresourcedefinitions.apiextensions.k8s.io" ? [CLEANUP] : [];
  const finalizers = [...(object.metadata.finalizers ?? []), ...(foreground ? ["foregroundDeletion"] : []), ...cleanup];
  const grace = resourceKey(resource) === "pods" ? podGrace(object, how) : 0;
  const stays =
    finalizers.length > 0 || grace > 0 || (resourceKey(resource) === "namespaces" && (object.spec?.finalizers ?? []).length > 0);
  if (!stays) {
    remove(cluster, resource, object);
    return undefined;
  }
  if (object.metadata.deletionTimestamp !== undefined && grace >= (object.metadata.deletionGracePeriodSeconds ?? 0))
    return object;
  return put(cluster, resource, {
    ...object,
    ...(object.kind === "Namespace" && { status: { ...object.status, phase: "Terminating" } }),
    metadata: {
      ...object.metadata,
      deletionTimestamp: timestamp(cluster.lab.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length > 0 && { finalizers: [...new Set(finalizers)] }),
    },
  });
}

/** The grace period of a running pod; a pod that was never started is deleted at once. */
function podGrace(pod: KubeObject, how: Deleting): number {
  const asked = how.graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  if (!pod.spec.nodeName || ["Succeeded", "Failed"].includes(pod.status?.phase)) return 0;
  return asked;
}

function checkPreconditions(resource: Resource, { metadata }: KubeObject, { preconditions }: Deleting): void {
  const { uid, resourceVersion } = preconditions ?? {};
  // Unlike other conflicts, this one names the kind.
  const named = { group: resource.group, resource: resource.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(named, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(named, metadata.name, why);
  }
}

export interface Dependent {
  resource: Resource;
  object: KubeObject;
}

export function dependentsOf(cluster: SimulatedCluster, uid: string): Dependent[] {
  const once = new Map(resourcesOf(cluster).map((resource) => [resourceKey(resource), resource]));
  return [...once.values()].flatMap((resource) =>
    all(cluster, resource)
      .filter(({ metadata }) => (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid))
      .map((object) => ({ resource, object })),
  );
}

function orphan(cluster: SimulatedCluster, { metadata }: KubeObject): void {
  for (const { resource, object } of dependentsOf(cluster, metadata.uid)) {
    const { ownerReferences = [], ...rest } = object.metadata;
    const left = ownerReferences.filter((owner) => owner.uid !== metadata.uid);
    put(cluster, resource, { ...object, metadata: { ...rest, ...(left.length > 0 && { ownerReferences: left }) } });
  }
}

/** The Status response for a deleted object. */
export function deletedStatus(resource: Resource, { metadata }: KubeObject): Loose {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: metadata.name,
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.resource,
      uid: metadata.uid,
    },
  };
}

/** The list kind of a resource, in the requested version. */
export function listKind(resource: Resource): { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: `${resource.kind}List` };
}
