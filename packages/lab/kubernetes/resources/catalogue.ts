import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { BUILTIN } from "./builtin.ts";
import { ALL_VERBS, type CustomResource, type Resource } from "./resource.ts";

/** Every resource that this cluster currently serves: built-in ones and those of CRDs, one row per served version. */
export function resourcesOf(cluster: SimulatedCluster): Resource[] {
  const definitions = Object.values(cluster.state.objects["customresourcedefinitions.apiextensions.k8s.io"] ?? {});
  return [...BUILTIN, ...definitions.filter(isEstablished).flatMap(customResources)];
}

export function findResource(cluster: SimulatedCluster, group: string, version: string, resource: string): Resource | undefined {
  return resourcesOf(cluster).find((row) => row.group === group && row.version === version && row.resource === resource);
}

export function findKind(cluster: SimulatedCluster, apiVersion: string, kind: string): Resource | undefined {
  const slash = apiVersion.lastIndexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return resourcesOf(cluster).find((row) => row.group === group && row.version === version && row.kind === kind);
}

/** A built-in resource, which must exist. */
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
  storage: boolean;
  schema?: { openAPIV3Schema?: Loose };
  subresources?: { status?: object; scale?: CustomResource["scale"] };
  additionalPrinterColumns?: Resource["columns"];
  selectableFields?: { jsonPath: string }[];
}

const rows = new WeakMap<KubeObject, Resource[]>();

/** Stored objects are immutable, so the rows of a definition can be cached. */
function customResources(definition: KubeObject): Resource[] {
  const known = rows.get(definition);
  if (known) return known;
  const { spec } = definition;
  const versions: DefinedVersion[] = spec.versions ?? [];
  const storage = versions.find((version) => version.storage)?.name ?? "";
  const made = versions
    .filter(({ served }) => served)
    .map(
      (version): Resource => ({
        group: spec.group,
        version: version.name,
        resource: spec.names.plural,
        singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
        kind: spec.names.kind,
        namespaced: spec.scope === "Namespaced",
        shortNames: spec.names.shortNames ?? [],
        categories: spec.names.categories ?? [],
        subresources: Object.keys(version.subresources ?? {})
          .sort()
          .reverse(),
        verbs: ALL_VERBS,
        ...(version.additionalPrinterColumns && { columns: version.additionalPrinterColumns }),
        custom: {
          schema: version.schema?.openAPIV3Schema,
          storage,
          ...(version.subresources?.scale && { scale: version.subresources.scale }),
          selectable: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
        },
      }),
    );
  rows.set(definition, made);
  return made;
}
