import type { Addon, ClusterFacts, MachineWishes, Preset } from "../../../catalog/addons/addon.ts";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { type AddonConfig, TIERS, type Tier } from "../../addons-config.ts";
import type { Facts } from "../../checks/facts.ts";
import type { Manifests } from "../../manifests/read-manifests.ts";
import { addonName, PRESET_KEYS, type PresetKey, told } from "../../told-presets.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { chartAddons, manifestAddons, secretAddons } from "./own.ts";
import { presetOptions, type Telling } from "./preset-options.ts";

/** An addon of the config, and what it needs of the machines. */
export interface MadeAddon {
  readonly config: AddonConfig;
  readonly machines: MachineWishes;
}

/** When a preset's turn is, unless it is like most. */
const TIER_OF: Partial<Record<PresetKey, Tier>> = { cilium: "network", flux: "gitops", argocd: "gitops" };

/** Every addon of a file without problems, in the order of their tiers. */
export function makeAddons(facts: Facts, manifests: Manifests, telling: Telling): MadeAddon[] {
  const { addons = {} } = facts.draft;
  const cluster = clusterFacts(facts);
  const presets = PRESET_KEYS.flatMap((key) => {
    const made = makePreset(key, facts, cluster, telling);
    if (made === undefined) return [];
    // With nothing said of Cilium, it is there because of the pod network.
    const path = addons[key] === undefined ? ["cluster", "cni"] : ["addons", key];
    const tier = TIER_OF[key] ?? "presets";
    const { extensions } = made.machines;
    const config: AddonConfig = { name: addonName(key), tier, parts: made.parts, ...(extensions && { extensions }), path };
    return [{ config, machines: made.machines }];
  });
  const own = [...secretAddons(addons), ...manifestAddons(addons, manifests), ...chartAddons(addons, telling.tree)];
  const all = [...presets, ...own.map((config): MadeAddon => ({ config, machines: {} }))];
  return TIERS.flatMap((tier) => all.filter(({ config }) => config.tier === tier));
}

function makePreset<K extends PresetKey>(key: K, facts: Facts, cluster: ClusterFacts, telling: Telling): Addon | undefined {
  const words = told(facts.draft, key);
  if (words === undefined) return undefined;
  const preset = PRESETS[key] as unknown as Preset<ReturnType<typeof presetOptions<K>>>;
  return preset.make(presetOptions(key, words, telling), cluster);
}
