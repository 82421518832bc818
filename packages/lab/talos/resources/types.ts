import type { Called } from "../api/caller.ts";
import { minorOf } from "../versions.ts";
import { blockSources } from "./block.ts";
import { chainSources } from "./chains.ts";
import { clusterSources } from "./cluster.ts";
import { configSources } from "./config.ts";
import { type Definition, definitionsOf } from "./definitions.ts";
import { deviceSources } from "./devices.ts";
import { encodeSpec } from "./encode.ts";
import { kubernetesSources } from "./kubernetes.ts";
import { kubernetesSpecSources } from "./kubernetes-specs.ts";
import { layout } from "./layout.ts";
import { manifestSource } from "./manifests.ts";
import { networkSources } from "./network.ts";
import { printSpec } from "./print.ts";
import { described, type Item, type ResourceSource } from "./resource.ts";
import { runtimeSources } from "./runtime.ts";
import { secretSources } from "./secrets.ts";

/** A type in one release of Talos. Types that the lab does not simulate have no resources. */
export interface ResourceType extends Definition {
  owner: string;
  items(called: Called): Item[];
}

const NAMES = "1 type text  2 displayType text  3 defaultNamespace text  4 aliases text*  5 allAliases text*";
const COLUMNS = "6 printColumns { 1 name text  2 jsonPath text }*  7 sensitivity? sensitivity";
const SENT = layout(`${NAMES}  ${COLUMNS}`);
/** The field is in no message, so it has no number there. */
const SHOWN = layout(`${NAMES}  99 skipAutomaticAliases? bool  ${COLUMNS}`);

/** The types and their aliases, as clients discover them (docs/facts/talos.md#resources). */
const metaSources: readonly ResourceSource[] = [
  {
    type: "ResourceDefinitions.meta.cosi.dev",
    owner: "",
    items: ({ boot }) =>
      [...definitionsOf(boot.system.version).definitions.values()].map((one) => {
        const spec = {
          type: one.type,
          displayType: one.displayType,
          defaultNamespace: one.namespace,
          aliases: [...one.aliases],
          allAliases: [...one.allAliases],
          skipAutomaticAliases: one.skipAutomaticAliases,
          printColumns: one.columns.map((column) => ({ ...column })),
          sensitivity: one.sensitive ? "sensitive" : "",
        };
        const minor = minorOf(boot.system.version);
        return { id: one.type.toLowerCase(), yaml: printSpec(SHOWN, spec, minor), proto: encodeSpec(SENT, spec, minor) };
      }),
  },
  described("Namespaces.meta.cosi.dev", "", "1 description text", ({ boot }) =>
    [...definitionsOf(boot.system.version).namespaces].map((name) => [name, { description: `Resources of ${name}.` }]),
  ),
];

const sources = new Map(
  [
    ...metaSources,
    ...runtimeSources,
    ...networkSources,
    ...chainSources,
    ...blockSources,
    ...deviceSources,
    ...clusterSources,
    ...kubernetesSources,
    ...kubernetesSpecSources,
    manifestSource,
    ...configSources,
    ...secretSources,
  ].map((source) => [source.type, source]),
);

/** undefined for a type that this release does not have. */
export function resourceType(type: string, version: string): ResourceType | undefined {
  const definition = definitionsOf(version).definitions.get(type);
  const source = sources.get(type);
  return definition && { ...definition, owner: source?.owner ?? "", items: (called) => source?.items(called) ?? [] };
}

/** All types of this release. */
export function resourceTypes(version: string): ResourceType[] {
  return [...definitionsOf(version).definitions.keys()].flatMap((type) => resourceType(type, version) ?? []);
}

export function isNamespace(name: string, version: string): boolean {
  return definitionsOf(version).namespaces.has(name);
}
