import { parseNetwork } from "@talosmith/lib/ip.ts";
import { find, type MapTree, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Issue } from "./issues.ts";
import * as ip from "./schema/ip-words.ts";
import { settingPlaces } from "./setting-places.ts";

/** That there is such a section or setting on this platform is what is wrong with it, not what stands in it. */
export function elsewhere(tree: Tree, platform: unknown): Path[] {
  if (platform === "vps") return [["proxmox"]];
  if (platform === "metal") return [["proxmox"], ["vps"], ...settingPlaces(tree, "ssh")];
  if (platform === "proxmox") return [["vps"], ...settingPlaces(tree, "ssh"), ...settingPlaces(tree, "bond")];
  return [];
}

/** What only some platforms need, or only one of two ways, is optional in the schema; that a file lacks it is said as of any other key. */
export function platformNeeds(tree: Tree, platform: unknown): Issue[] {
  const lacking = [...networkNeeds(tree, platform), ...proxmoxNeeds(tree, platform), ...firewallNeeds(tree, platform)];
  return [
    ...lacking.map((path): Issue => ({ code: "invalid_type", expected: "object", path, message: "", input: undefined })),
    ...(platform === "vps" ? [] : prefixes(tree)),
  ];
}

/** Rented servers need not be in one network. */
function networkNeeds(tree: Tree, platform: unknown): string[][] {
  const network = find(tree, ["network"]);
  if (platform === "vps" || network?.kind !== "map") return [];
  return ["cidr", "gateway"].filter((key) => !network.entries.has(key)).map((key) => ["network", key]);
}

function proxmoxNeeds(tree: Tree, platform: unknown): string[][] {
  if (platform !== "proxmox") return [];
  const proxmox = find(tree, ["proxmox"]);
  return proxmox === undefined ? [["proxmox"]] : proxmox.kind === "map" ? loginNeeds(proxmox) : [];
}

/** A token, or a user with the password. */
function loginNeeds({ entries }: MapTree): string[][] {
  if (entries.has("token")) return [];
  const missing = ["user", "password"].filter((key) => !entries.has(key));
  return (missing.length === 2 ? ["token"] : missing).map((key) => ["proxmox", key]);
}

/** Rented servers are on the Internet: there it must be said who may reach them. */
function firewallNeeds(tree: Tree, platform: unknown): string[][] {
  const firewall = find(tree, ["firewall"]);
  if (firewall === undefined) return platform === "vps" ? [["firewall", "admin"]] : [];
  if (firewall.kind !== "map" || firewall.entries.has("admin")) return [];
  const enabled = firewall.entries.get("enabled")?.value;
  return enabled?.kind === "scalar" && enabled.value === false ? [] : [["firewall", "admin"]];
}

/** Elsewhere all nodes have the prefix length of their one network. */
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
