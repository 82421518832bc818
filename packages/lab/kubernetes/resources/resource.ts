import type { KubeObject, Loose, Manifest } from "../objects.ts";

/** One resource of the API in one version. */
export interface Resource {
  group: string;
  version: string;
  /** Plural, as in paths. */
  resource: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  subresources: readonly string[];
  verbs: readonly string[];
  /** Table columns of custom resources. */
  columns?: readonly { name: string; type: string; jsonPath: string; priority?: number }[];
  /** The CRD's settings. */
  custom?: CustomResource;
  /** For a built-in version that is not the storage version. */
  converter?: Converter;
}

export interface Converter {
  shown(stored: KubeObject): KubeObject;
  stored(given: Manifest): Manifest;
}

export interface CustomResource {
  /** openAPIV3Schema of this version. */
  schema: Loose;
  /** The storage version. */
  storage: string;
  /** Paths of the scale subresource, if there is one. */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  selectable: readonly string[];
}

export const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;

/** The key under which objects are stored, also used in messages: "deployments.apps". */
export function resourceKey({ group, resource }: Pick<Resource, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
