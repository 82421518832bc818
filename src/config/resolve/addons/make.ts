import type { Addon, ClusterFacts, MachineWishes, Preset } from "../../../catalog/addons/addon.ts";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { type AddonConfig, TIERS, type Tier } from "../../addons-config.ts";
import { type Facts, gpuOf } from "../../checks/facts.ts";
import type { Role } from "../../config.ts";
import type { Manifests } from "../../manifests/read-manifests.ts";
import type { Pool } from "../../pools.ts";
import { Grammar } from "../../schema/grammar.ts";
import { addonName, PRESET_KEYS, type PresetKey, told, toldOf } from "../../told-presets.ts";
import { clusterOf } from "../cluster.ts";
import { sure } from "../values.ts";
import { chartAddons, manifestAddons, secretAddons } from "./own.ts";
import { presetOptions, type Telling } from "./preset-options.ts";

/** An addon of the config, and what it needs of the machines. */
export interface MadeAddon {
  readonly config: AddonConfig;
  readonly machines: MachineWishes;
}

/** When a preset's turn is, unless it is like most. */
const TIER_OF: Readonly<Record<string, Tier>> = { cilium: "network", flux: "gitops", argocd: "gitops" };

/** Every addon of a file without problems, in the order of their tiers. */
export function makeAddons(facts: Facts, manifests: Manifests, telling: Telling): MadeAddon[] {
  const { addons = {} } = facts.draft;
  const cluster = clusterFacts(facts);
  const own = new Map(toldOf(facts.draft, facts.platform).map((one) => [one.key, one]));
  const presets = presetKeys(facts).flatMap((key) => {
    const platforms = own.get(key);
    const made =
      platforms === undefined
        ? makePreset(key as PresetKey, facts, cluster, telling)
        : platforms.addon.make(platforms.told, telling, cluster, facts);
    return made === undefined ? [] : [presetAddon(key, made, facts)];
  });
  const more = [...secretAddons(addons), ...manifestAddons(addons, manifests), ...chartAddons(addons, telling.tree)];
  const all = [...presets, ...more.map((config): MadeAddon => ({ config, machines: {} }))];
  return TIERS.flatMap((tier) => all.filter(({ config }) => config.tier === tier));
}

/** In the order of the config reference. */
function presetKeys({ platform, platforms }: Facts): string[] {
  const own = Object.keys(platform?.addons ?? {});
  const known = Grammar.of(platforms).keysAt(["addons"], "available");
  return known.filter((key) => own.includes(key) || (PRESET_KEYS as readonly string[]).includes(key));
}

function presetAddon(key: string, { parts, machines }: Addon, { draft }: Facts): MadeAddon {
  const written = new Map<string, unknown>(Object.entries(draft.addons ?? {})).get(key);
  // With nothing said of Cilium, it is there because of the pod network.
  const path = written === undefined ? ["cluster", "cni"] : ["addons", key];
  const tier = TIER_OF[key] ?? "presets";
  const { extensions } = machines;
  return { config: { name: addonName(key), tier, parts, ...(extensions && { extensions }), path }, machines };
}

function makePreset<K extends PresetKey>(key: K, facts: Facts, cluster: ClusterFacts, telling: Telling): Addon | undefined {
  const words = told(facts.draft, key);
  if (words === undefined) return undefined;
  const preset = PRESETS[key] as unknown as Preset<ReturnType<typeof presetOptions<K>>>;
  return preset.make(presetOptions(key, words, telling), cluster);
}

/** What presets may know of the cluster. Only for files without problems. */
function clusterFacts(facts: Facts): ClusterFacts {
  const { draft, pools } = facts;
  const { name, talos, kubernetes, scheduleOnControlPlanes, podSubnets, serviceSubnets } = clusterOf(facts);
  const count = (which: (pool: Pool) => boolean) => pools.filter(which).reduce((sum, { nodes }) => sum + nodes.length, 0);
  const withRole = (role: Role) => count((pool) => pool.role === role);
  return {
    name,
    talos,
    kubernetes,
    platform: sure(draft.platform),
    controlPlanes: withRole("controlplane"),
    workers: withRole("worker"),
    gpuNodes: count((pool) => gpuOf(facts, pool) !== undefined),
    scheduleOnControlPlanes,
    podSubnets,
    serviceSubnets,
  };
}
