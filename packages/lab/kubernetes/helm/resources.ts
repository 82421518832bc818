import { messageOf } from "@talosmith/lib/errors.ts";
import type { KubeObject, Loose, Manifest } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";
import type { ClusterApi } from "./api.ts";

export interface Owner {
  name: string;
  namespace: string;
}

const MANAGED_BY = "app.kubernetes.io/managed-by";
const RELEASE_NAME = "meta.helm.sh/release-name";
const RELEASE_NAMESPACE = "meta.helm.sh/release-namespace";

/** Adds the labels and annotations of its release to an object. */
function owned(object: Manifest, { name, namespace }: Owner): Manifest {
  const { labels, annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...labels, [MANAGED_BY]: "Helm" },
      annotations: { ...annotations, [RELEASE_NAME]: name, [RELEASE_NAMESPACE]: namespace },
    },
  };
}

/** Refuses existing objects without the release's annotations: the release must not take over objects of another owner. */
export async function refuseForeign(api: ClusterApi, objects: readonly Manifest[], owner: Owner, doing: string): Promise<void> {
  for (const object of objects) {
    const live = await api.read(object, owner.namespace);
    const problems = live ? foreignMarks(live, owner) : [];
    if (!live || problems.length === 0) continue;
    const { name, namespace } = live.metadata;
    throw new Error(
      `Unable to continue with ${doing}: ${object.kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace ?? "")} exists and cannot be imported into the current release: invalid ownership metadata; ${problems.join("; ")}`,
    );
  }
}

function foreignMarks({ metadata }: KubeObject, owner: Owner): string[] {
  const check = (what: string, key: string, value: string | undefined, wanted: string) => {
    if (value === wanted) return [];
    if (value === undefined)
      return [`${what} validation error: missing key ${JSON.stringify(key)}: must be set to ${JSON.stringify(wanted)}`];
    return [
      `${what} validation error: key ${JSON.stringify(key)} must equal ${JSON.stringify(wanted)}: current value is ${JSON.stringify(value)}`,
    ];
  };
  return [
    ...check("label", MANAGED_BY, metadata.labels?.[MANAGED_BY], "Helm"),
    ...check("annotation", RELEASE_NAME, metadata.annotations?.[RELEASE_NAME], owner.name),
    ...check("annotation", RELEASE_NAMESPACE, metadata.annotations?.[RELEASE_NAMESPACE], owner.namespace),
  ];
}

/** Creates new objects, changes existing ones, and deletes those that are no longer wanted. */
export async function applyObjects(
  api: ClusterApi,
  before: readonly Manifest[],
  wanted: readonly Manifest[],
  owner: Owner,
): Promise<void> {
  for (const object of wanted) {
    const marked = owned(object, owner);
    const { list, one, namespace } = await api.place(object, owner.namespace);
    const body = namespace === undefined ? marked : { ...marked, metadata: { ...marked.metadata, namespace } };
    const live = await api.read(object, owner.namespace);
    if (!live) {
      await api.call("POST", list, body).catch((error: unknown) => {
        throw new Error(`failed to create resource: ${messageOf(error)}`);
      });
      continue;
    }
    const old = before.find((other) => isSame(other, object, owner));
    const patch = mergePatchFor(old && owned(old, owner), body, live);
    if (Object.keys(patch).length > 0) {
      await api.call("PATCH", one, patch, "application/merge-patch+json").catch((error: unknown) => {
        const why = messageOf(error);
        throw new Error(`cannot patch ${JSON.stringify(object.metadata.name)} with kind ${object.kind}: ${why}`);
      });
    }
  }
  const dropped = before.filter((object) => !wanted.some((other) => isSame(object, other, owner)));
  await deleteObjects(api, dropped, owner);
}

export function isKept({ metadata }: Manifest): boolean {
  return metadata.annotations?.["helm.sh/resource-policy"] === "keep";
}

export async function deleteObjects(api: ClusterApi, objects: readonly Manifest[], owner: Owner): Promise<void> {
  for (const object of objects) {
    if (isKept(object)) continue;
    const { one } = await api.place(object, owner.namespace);
    await api.call("DELETE", one, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" });
  }
}

function isSame(a: Manifest, b: Manifest, owner: Owner): boolean {
  const namespace = (object: Manifest) => object.metadata.namespace ?? owner.namespace;
  return a.kind === b.kind && a.metadata.name === b.metadata.name && namespace(a) === namespace(b);
}

/** A merge patch with the wanted values that the live object lacks, and nulls for values that only the old manifest has. */
function mergePatchFor(old: Loose, wanted: Loose, live: Loose): Record<string, Loose> {
  const patch: Record<string, Loose> = {};
  for (const [key, value] of Object.entries(wanted as Record<string, Loose>)) {
    const there = live?.[key];
    if (isRecord(value) && isRecord(there)) {
      const inner = mergePatchFor(old?.[key], value, there);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (!covers(there, value)) {
      patch[key] = value;
    }
  }
  for (const key of Object.keys(old ?? {})) {
    if (!(key in wanted) && live?.[key] !== undefined) patch[key] = null;
  }
  return patch;
}

/** Whether the live value contains the wanted one; the server may have added more. */
function covers(live: Loose, wanted: Loose): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  if (isRecord(wanted)) return isRecord(live) && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
  return live === wanted || (wanted === null && live === undefined);
}
