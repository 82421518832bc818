import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { FLAT_KEYS, type FlatPlatform, isElsewhere } from "./flat-keys.ts";

/** Ours → the flat file's. Of several keys that make one value, the one that names it. */
function namesOn(platform: FlatPlatform): Map<string, string> {
  const names = new Map<string, string>([
    ...Object.entries(FLAT_KEYS)
      .filter(([key]) => !isElsewhere(key, platform))
      .sort(([, a], [, b]) => Number(a.names ?? false) - Number(b.names ?? false))
      .map(([key, { to }]): [string, string] => [pathName(to), key]),
    ["proxmox.hosts", "proxmox_node"],
    ["proxmox.tls", "proxmox_tls_fingerprint"],
    ["network.via", "proxmox_ssh_host"],
    ["cluster.cni", "cilium_version"],
  ]);
  names.delete("platform");
  names.delete("nodes");
  return names;
}

function anyOf(names: ReadonlyMap<string, string>): RegExp {
  const all = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => name.replaceAll(/[.[\]]/g, "\\$&"));
  return new RegExp(`(?<![\\w.])(?:nodes\\[(\\d+)\\]|${all.join("|")})(?!\\w)`, "g");
}

const known = (platform: FlatPlatform) => ({ names: namesOn(platform), any: anyOf(namesOn(platform)) });
const KNOWN = { proxmox: known("proxmox"), vps: known("vps") };

/** A sentence about our keys, about the flat file's keys. */
export function flatNames(text: string, controlPlanes: number, platform: FlatPlatform): string {
  const { names, any } = KNOWN[platform];
  return text.replaceAll(any, (name: string, index?: string) => {
    if (index === undefined) return names.get(name) ?? name;
    const number = Number(index);
    return number < controlPlanes ? `controlplane_nodes[${number}]` : `worker_nodes[${number - controlPlanes}]`;
  });
}

/** Where a value of the flat file ends up. */
export function ourPath([key, ...rest]: Path, controlPlanes: number): Path {
  const [first, ...inner] = rest;
  if (key === "controlplane_nodes" && typeof first === "number") return ["nodes", first, ...inner];
  if (key === "worker_nodes" && typeof first === "number") return ["nodes", first + controlPlanes, ...inner];
  return FLAT_KEYS[String(key)]?.to ?? [String(key)];
}
