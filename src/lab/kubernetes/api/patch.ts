import type { Cluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose, Manifest } from "../objects.ts";
import { type Applying, applyConfig, managedAfterApply } from "../patch/apply.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge.ts";
import { strategicMerge } from "../patch/strategic.ts";
import type { Resource } from "../resources/resource.ts";
import { ApiError, badRequest } from "./status.ts";
import { createObject, replaceObject, type Writing } from "./write.ts";

export const APPLY = "application/apply-patch+yaml";

/** A change to what is there. */
export function patchObject(
  cluster: Cluster,
  resource: Resource,
  live: KubeObject,
  type: string,
  patch: Loose,
  how: Writing,
): KubeObject {
  const after = patched(resource, live, type, patch);
  return replaceObject(cluster, resource, live, { ...after, metadata: after.metadata ?? {} }, how);
}

function patched(resource: Resource, live: KubeObject, type: string, patch: Loose): Loose {
  switch (type) {
    case "application/json-patch+json":
      return jsonPatch(live, patch);
    case "application/merge-patch+json":
      return unversioned(live, patch, mergePatch(live, patch));
    case "application/strategic-merge-patch+json":
      if (!resource.custom) return unversioned(live, patch, strategicMerge(live, patch));
      throw unsupported("application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    default:
      throw unsupported(
        "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml",
      );
  }
}

/** Only a version the patch itself names is compared with the live one. */
function unversioned(live: KubeObject, patch: Loose, after: Loose): Loose {
  const named = patch?.metadata?.resourceVersion;
  return { ...after, metadata: { ...after.metadata, resourceVersion: named ?? live.metadata.resourceVersion } };
}

function unsupported(accepted: string): ApiError {
  return new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    {},
  );
}

export interface ApplyRequest extends Omit<Applying, "custom"> {
  namespace?: string;
  name: string;
  subresource?: string;
}

/** Server-side apply: creates what is not there. */
export function applyObject(
  cluster: Cluster,
  resource: Resource,
  live: KubeObject | undefined,
  config: Manifest,
  wanted: ApplyRequest,
  how: Writing,
): { object: KubeObject; created: boolean } {
  if (config.metadata.managedFields) throw badRequest("metadata.managedFields must be nil");
  if (config.metadata.name !== undefined && config.metadata.name !== wanted.name) {
    throw badRequest(`the name of the object (${config.metadata.name}) does not match the name on the URL (${wanted.name})`);
  }
  const applying: Applying = { manager: wanted.manager, force: wanted.force, custom: resource.custom === true };
  const plain: Manifest = { ...config, metadata: { ...config.metadata, name: wanted.name } };
  const noted: Writing = {
    ...how,
    managed: (object) =>
      managedAfterApply(live?.metadata.managedFields ?? [], live ?? object, plain, applying, timestamp(cluster.lab.now())),
  };
  if (!live) return { object: createObject(cluster, resource, wanted.namespace, withoutVersion(plain), noted), created: true };
  const merged = applyConfig(live, plain, applying);
  const { resourceVersion, uid } = config.metadata;
  const metadata = { ...merged.metadata, resourceVersion: resourceVersion ?? "", uid: uid ?? live.metadata.uid };
  return { object: replaceObject(cluster, resource, live, { ...merged, metadata }, noted), created: false };
}

function withoutVersion(manifest: Manifest): Manifest {
  const { resourceVersion: _, uid: __, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}
