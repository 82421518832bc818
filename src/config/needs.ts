import { parseNetwork } from "@talosmith/lib/ip.ts";
import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import type { Issue } from "./issues.ts";
import type { ConfigPlatform } from "./platform.ts";
import * as ip from "./schema/ip-words.ts";

/** Reports missing keys that the schema cannot require, because only some platforms need them, or only one of two ways. */
export function needs(tree: Tree, platform: ConfigPlatform | undefined): Issue[] {
  const lacking = [...networkNeeds(tree, platform), ...sectionNeeds(tree, platform), ...firewallNeeds(tree, platform)];
  return [
    ...lacking.map(
      (path): Issue => ({ code: "invalid_type", expected: "object", path: [...path], message: "", input: undefined }),
    ),
    ...(platform?.network === "provider" ? [] : prefixes(tree)),
  ];
}

/** The required sections of a platform. */
export function neededSections({ keys }: ConfigPlatform): string[] {
  return Object.entries(keys?.sections ?? {}).flatMap(([key, schema]) => (schema instanceof z.ZodOptional ? [] : [key]));
}

/** At a provider, nodes need not be in one network. */
function networkNeeds(tree: Tree, platform: ConfigPlatform | undefined): Path[] {
  const network = find(tree, ["network"]);
  if (platform?.network === "provider" || network?.kind !== "map") return [];
  return ["cidr", "gateway"].filter((key) => !network.entries.has(key)).map((key) => ["network", key]);
}

function sectionNeeds(tree: Tree, platform: ConfigPlatform | undefined): readonly Path[] {
  if (platform === undefined) return [];
  const absent = neededSections(platform).filter((key) => find(tree, [key]) === undefined);
  return [...absent.map((key) => [key]), ...(platform.needs?.(tree) ?? [])];
}

/** At a provider, `firewall.admin` is required. */
function firewallNeeds(tree: Tree, platform: ConfigPlatform | undefined): Path[] {
  const firewall = find(tree, ["firewall"]);
  if (firewall === undefined) return platform?.network === "provider" ? [["firewall", "admin"]] : [];
  if (firewall.kind !== "map" || firewall.entries.has("admin")) return [];
  const enabled = firewall.entries.get("enabled")?.value;
  return enabled?.kind === "scalar" && enabled.value === false ? [] : [["firewall", "admin"]];
}

/** In one network, all nodes have its prefix length. */
function prefixes(tree: Tree): Issue[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? [...nodes.items.keys()] : [];
  return entries.flatMap((index) => {
    const path = ["nodes", index, "ip"];
    const written = find(tree, path);
    const items =
      written?.kind === "list" ? written.items.map((item, at) => ({ item, at: [...path, at] })) : [{ item: written, at: path }];
    return items.flatMap(({ item, at }): Issue[] => {
      const value = item?.kind === "scalar" ? item.value : undefined;
      if (typeof value !== "string" || parseNetwork(value) === undefined) return [];
      const wrong = ip.ip(value);
      return [{ code: "custom", path: at, message: wrong?.says ?? "", input: value, params: { ...wrong } }];
    });
  });
}
