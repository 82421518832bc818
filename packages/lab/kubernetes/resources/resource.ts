import type { KubeObject, Loose, Manifest } from "../objects.ts";

/** One row of the API: what can be asked for, and how it is called. */
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
  /** What custom resources show in tables. */
  columns?: readonly { name: string; type: string; jsonPath: string; priority?: number }[];
  /** What its CRD says of it. */
  custom?: CustomResource;
  /** Of a built-in version that objects are not kept in. */
  converter?: Converter;
}

export interface Converter {
  shown(stored: KubeObject): KubeObject;
  stored(given: Manifest): Manifest;
}

export interface CustomResource {
  /** openAPIV3Schema of this version. */
  schema: Loose;
  /** The version objects are kept in. */
  storage: string;
  /** Where the scale subresource finds what it shows, if there is one. */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  selectable: readonly string[];
}

export const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;

/** Under which it is stored, and named in messages: "deployments.apps". */
export function resourceKey({ group, resource }: Pick<Resource, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
