import { blockTypes } from "./block.ts";
import { clusterTypes } from "./cluster.ts";
import { configTypes } from "./config.ts";
import { networkTypes } from "./network.ts";
import { described, type ResourceType } from "./resource.ts";
import { runtimeTypes } from "./runtime.ts";

/** Types that Talos has and this lab has nothing of. */
const EMPTY: Record<string, readonly string[]> = {
  runtime: [
    "MetaKeys.runtime.talos.dev",
    "KernelParamStatuses.runtime.talos.dev",
    "DiscoveredVolumes.block.talos.dev",
    "MountStatuses.block.talos.dev",
    "SecurityStates.talos.dev",
  ],
  cluster: ["Affiliates.cluster.talos.dev", "Identities.cluster.talos.dev"],
  network: [
    "RouteStatuses.net.talos.dev",
    "OperatorSpecs.net.talos.dev",
    "TimeServerStatuses.net.talos.dev",
    "ProbeStatuses.net.talos.dev",
  ],
  k8s: ["StaticPods.kubernetes.talos.dev"],
  controlplane: ["Manifests.kubernetes.talos.dev", "Endpoints.kubernetes.talos.dev", "ManifestStatuses.kubernetes.talos.dev"],
  hardware: ["Processors.hardware.talos.dev", "MemoryModules.hardware.talos.dev", "PCIDevices.hardware.talos.dev"],
};

const known: readonly ResourceType[] = [
  ...runtimeTypes,
  ...configTypes,
  ...networkTypes,
  ...blockTypes,
  ...clusterTypes,
  ...Object.entries(EMPTY).flatMap(([namespace, types]) => types.map((type) => described({ type, namespace }, [], () => []))),
];

/** talos.md 4.6: how clients find out what types there are, and what they may be called. */
const definitions: ResourceType = described(
  { type: "ResourceDefinitions.meta.cosi.dev", namespace: "meta" },
  [
    [1, "type", "string"],
    [2, "displayType", "string"],
    [3, "defaultNamespace", "string"],
    [4, "aliases", "strings"],
    [5, "allAliases", "strings"],
    [7, "sensitivity", { numbers: { "": 0, sensitive: 1 } }],
  ],
  () =>
    [...known, definitions].map((one) => {
      const [plural = ""] = one.type.split(".");
      const displayType = singular(plural);
      const own = [...(one.aliases ?? [])];
      const all = [plural.toLowerCase(), displayType.toLowerCase(), one.type.toLowerCase(), ...own];
      return [
        one.type.toLowerCase(),
        {
          type: one.type,
          displayType,
          defaultNamespace: one.namespace,
          aliases: own,
          allAliases: [...new Set(all)],
          printColumns: [],
          sensitivity: one.sensitive ? "sensitive" : "",
        },
      ];
    }),
);

function singular(plural: string): string {
  return plural.replace(/(status|address)es$/i, "$1").replace(/([^s])s$/, "$1");
}

const byName = new Map([...known, definitions].map((one) => [one.type, one]));

export function resourceType(type: string): ResourceType | undefined {
  return byName.get(type);
}

const namespaces = new Set(
  [...byName.values()].map((one) => one.namespace).concat("secrets", "files", "cluster-raw", "network-config", "cri"),
);

export function isNamespace(name: string): boolean {
  return namespaces.has(name);
}
