import { find, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { ConfigPlatform, Platforms } from "../platform.ts";
import { Grammar } from "../schema/grammar.ts";
import type { FlatKey, FlatSpelling } from "./flat-spelling.ts";

/** A platform that has a flat spelling. */
export type FlatPlatform = ConfigPlatform & { readonly flat: FlatSpelling };

/** A key, and the one platform that has it; without `only`, all have. */
export type KnownKey = FlatKey & { readonly only?: FlatPlatform };

/** Keys of all platforms; those of FluoData first, then what can be said beyond them. */
const OF_ALL: Readonly<Record<string, FlatKey>> = {
  platform: { to: ["platform"], example: "" },
  talos_version: { to: ["cluster", "talos"], example: "v1.13.9" },
  talos_schematic_id: { to: ["image", "schematic"], example: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba" },
  cluster_name: { to: ["cluster", "name"], example: "fluodata" },
  vm_gateway: { to: ["network", "gateway"], example: "10.10.0.1" },
  controlplane_nodes: { to: ["nodes"], example: "[{ name: cp-1, ip: 10.10.0.11 }]", names: true, together: true },
  worker_nodes: { to: ["nodes"], example: "[{ name: worker-1, ip: 10.10.0.21 }]", together: true },
  cilium_version: { to: ["addons", "cilium", "version"], example: '"1.20.1"' },

  kubernetes_version: { to: ["cluster", "kubernetes"], example: "v1.36.3" },
  vm_cidr: { to: ["network", "cidr"], example: "10.10.0.0/24", names: true, together: true },
  vm_netmask: { to: ["network", "cidr"], example: "255.255.255.0", together: true },
  vm_nameservers: { to: ["network", "nameservers"], example: "[10.10.0.1]" },
  admin_networks: { to: ["firewall", "admin"], example: "[198.51.100.7/32]" },
};

export function flatPlatforms({ available }: Platforms): FlatPlatform[] {
  return available.filter((one): one is FlatPlatform => one.flat !== undefined);
}

const known = new WeakMap<Platforms, Readonly<Record<string, KnownKey>>>();

/** The flat spelling's keys: those of all, then each platform's own. */
export function flatKeys(platforms: Platforms): Readonly<Record<string, KnownKey>> {
  const keys = known.get(platforms) ?? keysOf(flatPlatforms(platforms));
  known.set(platforms, keys);
  return keys;
}

function keysOf(all: readonly FlatPlatform[]): Readonly<Record<string, KnownKey>> {
  const own = all.flatMap((only) => Object.entries(only.flat.keys).map(([key, one]) => [key, { ...one, only }] as const));
  const platform = { to: ["platform"], example: all[0]?.name ?? "" };
  return { ...OF_ALL, platform, ...Object.fromEntries(own) };
}

export function keyOf(platforms: Platforms, key: string): KnownKey | undefined {
  const keys = flatKeys(platforms);
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

/** Whether a file speaks this spelling: it has a key that only exists here, and no section. */
export function isFlat(platforms: Platforms, tree: Tree): boolean {
  if (tree.kind !== "map") return false;
  const written = [...tree.entries.keys()].filter((key) => key !== "platform");
  const sections = Grammar.of(platforms).keysAt([], "all");
  return written.some((key) => keyOf(platforms, key) !== undefined) && !written.some((key) => sections.includes(key));
}

/** The platform that a flat file is for; what cannot be read is taken for the one that has had the spelling longest. */
export function flatPlatform(platforms: Platforms, tree: Tree): FlatPlatform | undefined {
  const platform = find(tree, ["platform"]);
  const name = platform?.kind === "scalar" ? platform.value : undefined;
  const all = flatPlatforms(platforms);
  return all.find((one) => one.name === name) ?? all[0];
}

export function isElsewhere({ only }: KnownKey, own: ConfigPlatform): boolean {
  return only !== undefined && only !== own;
}
