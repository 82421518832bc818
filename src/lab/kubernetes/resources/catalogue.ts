import type { Cluster } from "../cluster.ts";
import type { KubeObject } from "../objects.ts";
import { BUILTIN } from "./builtin.ts";
import { ALL_VERBS, type Resource } from "./resource.ts";

/** Everything this cluster serves at the moment: what is built in and what its CRDs define, one row for each served version. */
export function resourcesOf(cluster: Cluster): Resource[] {
  const definitions = Object.values(cluster.state.objects["customresourcedefinitions.apiextensions.k8s.io"] ?? {});
  return [...BUILTIN, ...definitions.filter(isEstablished).flatMap(customResources)];
}

export function findResource(cluster: Cluster, group: string, version: string, resource: string): Resource | undefined {
  return resourcesOf(cluster).find((row) => row.group === group && row.version === version && row.resource === resource);
}

export function findKind(cluster: Cluster, apiVersion: string, kind: string): Resource | undefined {
  const slash = apiVersion.lastIndexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return resourcesOf(cluster).find((row) => row.group === group && row.version === version && row.kind === kind);
}

/** One that is certainly there. */
export function builtin(key: string): Resource {
  const found = BUILTIN.find((row) => (row.group === "" ? row.resource : `${row.resource}.${row.group}`) === key);
  if (!found) throw new Error(`no built-in resource ${key}`);
  return found;
}

function isEstablished(definition: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = definition.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}

interface DefinedVersion {
  name: string;
  served: boolean;
  subresources?: Record<string, object>;
  additionalPrinterColumns?: { name: string; type: string; jsonPath: string; priority?: number }[];
}

function customResources({ spec }: KubeObject): Resource[] {
  const versions: DefinedVersion[] = spec.versions ?? [];
  return versions
    .filter(({ served }) => served)
    .map((version) => ({
      group: spec.group,
      version: version.name,
      resource: spec.names.plural,
      singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
      kind: spec.names.kind,
      namespaced: spec.scope === "Namespaced",
      shortNames: spec.names.shortNames ?? [],
      categories: spec.names.categories ?? [],
      subresources: Object.keys(version.subresources ?? {}),
      verbs: ALL_VERBS,
      ...(version.additionalPrinterColumns && { columns: version.additionalPrinterColumns }),
      custom: true,
    }));
}
