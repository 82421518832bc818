import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Platforms } from "../platform.ts";
import { type FlatPlatform, flatKeys, isElsewhere, keyOf } from "./flat-keys.ts";

/** Ours → the flat file's. Of several keys that make one value, the one that names it. */
function namesOn(platforms: Platforms, platform: FlatPlatform): Map<string, string> {
  const names = new Map<string, string>([
    ...Object.entries(flatKeys(platforms))
      .filter(([, known]) => !isElsewhere(known, platform))
      .sort(([, a], [, b]) => Number(a.names ?? false) - Number(b.names ?? false))
      .map(([key, { to }]): [string, string] => [pathName(to), key]),
    ["cluster.cni", "cilium_version"],
    ...Object.entries(platform.flat.names ?? {}),
  ]);
  names.delete("platform");
  names.delete("nodes");
  return names;
}

function anyOf(names: ReadonlyMap<string, string>): RegExp {
  const all = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => name.replaceAll(/[.[\]]/g, "\\$&"));
  return new RegExp(`(?<![\\w.])(?:nodes\\[(\\d+)\\]|${all.join("|")})(?!\\w)`, "g");
}

/** Turns sentences about our keys into sentences about the flat file's. */
export function flatNames(platforms: Platforms, platform: FlatPlatform, controlPlanes: number): (text: string) => string {
  const names = namesOn(platforms, platform);
  const any = anyOf(names);
  return (text) =>
    text.replaceAll(any, (name: string, index?: string) => {
      if (index === undefined) return names.get(name) ?? name;
      const number = Number(index);
      return number < controlPlanes ? `controlplane_nodes[${number}]` : `worker_nodes[${number - controlPlanes}]`;
    });
}

/** Where a value of the flat file ends up. */
export function ourPath(platforms: Platforms, [key, ...rest]: Path, controlPlanes: number): Path {
  const [first, ...inner] = rest;
  if (key === "controlplane_nodes" && typeof first === "number") return ["nodes", first, ...inner];
  if (key === "worker_nodes" && typeof first === "number") return ["nodes", first + controlPlanes, ...inner];
  return keyOf(platforms, String(key))?.to ?? [String(key)];
}
