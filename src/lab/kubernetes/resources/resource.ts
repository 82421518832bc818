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
  custom?: true;
}

export const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;

/** Under which it is stored, and named in messages: "deployments.apps". */
export function resourceKey({ group, resource }: Pick<Resource, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
