import type { Resource } from "../resources/resource.ts";

/** Packages of groups that are not in k8s.io/api. */
const HOMES: Record<string, string> = {
  meta: "io.k8s.apimachinery.pkg.apis.",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.",
};

/** The OpenAPI name of "core.v1.Pod": "io.k8s.api.core.v1.Pod". */
export function openApiName(type: string): string {
  return `${HOMES[type.split(".")[0] ?? ""] ?? "io.k8s.api."}${type}`;
}

/** The OpenAPI type of a resource's objects. */
export function definitionName({ group, version, kind, custom }: Resource): string {
  if (custom) return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
  return openApiName(`${group === "" ? "core" : group.split(".")[0]}.${version}.${kind}`);
}
