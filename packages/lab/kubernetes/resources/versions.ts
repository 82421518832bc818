import type { KubeObject, Manifest } from "../objects.ts";
import { builtin } from "./catalogue.ts";
import { apiVersionOf, type Resource, resourceKey } from "./resource.ts";

/** The row of the storage version. */
export function storedRow(resource: Resource): Resource {
  return resource.converter ? builtin(resourceKey(resource)) : resource;
}

/** Converts a manifest of this version to the storage version. */
export function asStored(resource: Resource, manifest: Manifest): Manifest {
  return resource.converter && manifest.apiVersion === apiVersionOf(resource) ? resource.converter.stored(manifest) : manifest;
}

/** Converts a stored object to this version. Without a converter, the versions of a custom resource differ only in their names. */
export function inVersion(resource: Resource, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(resource);
  if (object.kind !== resource.kind || object.apiVersion === apiVersion) return object;
  if (resource.converter) return resource.converter.shown(object);
  return resource.custom ? { ...object, apiVersion } : object;
}
