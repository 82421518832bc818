import type { Resource } from "../resources/resource.ts";

/** Where types of a group live that is not in k8s.io/api. */
const HOMES: Record<string, string> = {
  meta: "io.k8s.apimachinery.pkg.apis.",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.",
};

/** "core.v1.Pod" as OpenAPI calls it: "io.k8s.api.core.v1.Pod". */
export function openApiName(type: string): string {
  return `${HOMES[type.split(".")[0] ?? ""] ?? "io.k8s.api."}${type}`;
}

/** The type of a resource's objects. */
export function definitionName({ group, version, kind, custom }: Resource): string {
  if (custom) return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
  return openApiName(`${group === "" ? "core" : group.split(".")[0]}.${version}.${kind}`);
}
