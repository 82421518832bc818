import { isDeepStrictEqual } from "node:util";
import { admitCreate, admitUpdate } from "../admission/admit.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { firstStatus, setDefaults } from "../defaults/defaults.ts";
import { nameSuffix, newUid, timestamp } from "../identity.ts";
import type { KubeObject, ManagedFields, Manifest, Meta } from "../objects.ts";
import { managedAfterUpdate } from "../patch/managed.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";
import { asStored, storedRow } from "../resources/versions.ts";
import { schemaOf } from "../schema/of.ts";
import { put, read, remove } from "../store/store.ts";
import { alreadyExists, badRequest, conflict } from "./status.ts";
import { validate } from "./validate.ts";

/** Options of a write, and the warnings for its client. */
export interface Writing {
  /** The field manager of the written fields; the lab's controllers have none. */
  manager?: string;
  subresource?: string;
  dryRun?: boolean;
  /** How unknown fields are handled. */
  validation?: "Ignore" | "Warn" | "Strict";
  /** Computes the managed fields in place of the default: server-side apply has its own rules. */
  managed?: (stored: KubeObject) => ManagedFields[];
  /** The managed fields sent by the client; absent: unchanged. */
  managedFields?: ManagedFields[];
  warnings: string[];
  /** Checks the user's rights for the object once it is known. */
  allow?: (object: KubeObject) => void;
}

/** Options for writes by the lab's controllers. */
export const quietly = (): Writing => ({ warnings: [] });

export function createObject(
  cluster: SimulatedCluster,
  resource: Resource,
  namespace: string | undefined,
  manifest: Manifest,
  how: Writing,
): KubeObject {
  if (resource.converter) return createObject(cluster, storedRow(resource), namespace, asStored(resource, manifest), how);
  const object = newObject(cluster, resource, namespace, manifest);
  const { name } = object.metadata;
  if (name !== "" && read(cluster, resource, object.metadata.namespace, name)) throw alreadyExists(resource, name);
  setDefaults(cluster, resource, object);
  validate(resource, object);
  how.allow?.(object);
  admitCreate(cluster, resource, object, how);
  const status = firstStatus(resource, object);
  if (status !== undefined) object.status = status;
  else if (resource.subresources.includes("status") && how.manager !== undefined) delete object.status;
  note(cluster, resource, undefined, object, how);
  return how.dryRun ? unversioned(object) : put(cluster, resource, object);
}

/** A dry-run result has a uid, but no resource version. */
function unversioned(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as Meta };
}

function newObject(cluster: SimulatedCluster, resource: Resource, namespace: string | undefined, manifest: Manifest): KubeObject {
  const { metadata = {}, ...rest } = structuredClone(manifest);
  if (metadata.namespace !== undefined && metadata.namespace !== "" && metadata.namespace !== namespace && resource.namespaced) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const { namespace: _, resourceVersion: __, managedFields: ___, ...given } = metadata;
  const meta: Meta = {
    ...given,
    name: metadata.name || (metadata.generateName ? `${metadata.generateName}${nameSuffix(cluster.lab)}` : ""),
    ...(resource.namespaced && namespace !== undefined && { namespace }),
    uid: newUid(cluster.lab),
    resourceVersion: "",
    creationTimestamp: timestamp(cluster.lab.now()),
    ...(rest.spec !== undefined && hasGeneration(resource) && { generation: 1 }),
  };
  delete meta.deletionTimestamp;
  return { ...rest, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: meta };
}

/** Whether the kind counts changes of its spec in a generation. */
function hasGeneration({ resource, group }: Resource): boolean {
  return group !== "" || resource === "pods" || resource === "replicationcontrollers";
}

/** Stores a changed object. `after` is the complete object; for the status subresource only its status counts. */
export function replaceObject(
  cluster: SimulatedCluster,
  resource: Resource,
  before: KubeObject,
  after: Manifest,
  how: Writing,
): KubeObject {
  if (resource.converter) return replaceObject(cluster, storedRow(resource), before, asStored(resource, after), how);
  const { name, resourceVersion, uid } = before.metadata;
  if (after.metadata.resourceVersion && after.metadata.resourceVersion !== resourceVersion) throw conflict(resource, name);
  if (after.metadata.uid && after.metadata.uid !== uid) {
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${after.metadata.uid}, UID in object meta: ${uid}`);
  }
  const ofStatus = how.subresource === "status" || how.subresource === "approval";
  const ofEphemeral = how.subresource === "ephemeralcontainers";
  const object = ofStatus
    ? withStatus(before, after)
    : ofEphemeral
      ? withEphemeral(before, after)
      : withContent(resource, before, after);
  how.allow?.(object);
  if (ofStatus && resource.custom) validate(resource, object, before);
  if (!ofStatus) {
    setDefaults(cluster, resource, object);
    validate(resource, object, ofEphemeral ? undefined : before);
    admitUpdate(cluster, resource, object, before, how);
    const changed = !isDeepStrictEqual(contentOf(before), contentOf(object));
    if (changed && before.metadata.generation !== undefined) object.metadata.generation = before.metadata.generation + 1;
  }
  note(cluster, resource, before, object, how);
  if (how.dryRun) return object;
  const stored = put(cluster, resource, object);
  return isGone(stored) ? remove(cluster, resource, stored) : stored;
}

/** The object is deleted and has no finalizers left. */
function isGone({ kind, metadata, spec }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false;
  return kind === "Namespace" ? (spec?.finalizers ?? []).length === 0 : kind !== "Pod";
}

function withStatus(before: KubeObject, after: Manifest): KubeObject {
  return { ...before, metadata: { ...before.metadata }, status: structuredClone(after.status) };
}

/** Ephemeral containers can be added to a pod, whose other fields are fixed. */
function withEphemeral(before: KubeObject, { spec }: Manifest): KubeObject {
  const { ephemeralContainers } = structuredClone(spec) ?? {};
  return { ...before, metadata: { ...before.metadata }, spec: { ...before.spec, ephemeralContainers } };
}

function withContent(resource: Resource, before: KubeObject, after: Manifest): KubeObject {
  const { metadata, status, ...content } = structuredClone(after);
  const keepsStatus = resource.subresources.includes("status");
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const meta: Meta = { ...before.metadata };
  for (const key of ["labels", "annotations", "ownerReferences", "finalizers"] as const) delete meta[key];
  Object.assign(meta, withoutUndefined({ labels, annotations, ownerReferences, finalizers }));
  const kept = keepsStatus ? before.status : status;
  return {
    ...content,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: meta,
    ...(kept !== undefined && { status: kept }),
  };
}

function withoutUndefined<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== null)) as Partial<T>;
}

function contentOf({ metadata: _, status: __, ...content }: KubeObject) {
  return content;
}

function note(
  cluster: SimulatedCluster,
  resource: Resource,
  before: KubeObject | undefined,
  object: KubeObject,
  how: Writing,
): void {
  // A client that moves fields between managers writes the list itself; a list without entries is ignored.
  const given = how.managedFields ?? before?.metadata.managedFields ?? [];
  const managed = how.managed
    ? how.managed(object)
    : how.manager === undefined
      ? given
      : managedAfterUpdate(given, before, object, {
          manager: how.manager,
          apiVersion: object.apiVersion,
          ...(how.subresource !== undefined && { subresource: how.subresource }),
          hasStatus: resource.subresources.includes("status"),
          schema: schemaOf(resource),
          time: timestamp(cluster.lab.now()),
        });
  if (managed.length > 0) object.metadata.managedFields = managed;
  else delete object.metadata.managedFields;
}
