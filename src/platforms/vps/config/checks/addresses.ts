import { contains, formatIp, isUsable, type Network, parseNetwork } from "@talosmith/lib/ip.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { unusable } from "../../../../config/checks/addresses.ts";
import { gatewayFor } from "../../../../config/checks/facts.ts";
import { networkOf, prefixOf } from "../../../../config/node-networks.ts";
import { itemPath, listed } from "../../../../config/pools.ts";
import type { Report } from "../../../../config/report.ts";
import type { VpsFacts, VpsPool } from "../draft.ts";
import type { VpsCheck } from "./check.ts";

/** Keys without effect on a node that gets its address by DHCP. */
const NOT_TOLD = ["prefix", "gateway", "mac", "bond", "vlan", "nics"] as const;

/** Checks that each server has a prefix length and a gateway, or uses DHCP. */
export const addressesOfServers: VpsCheck = (facts, report) => {
  for (const pool of facts.pools) {
    if (pool.settings.dhcp === true) notTold(pool, report);
    else {
      for (const index of listed(pool.own.ip).keys()) prefixed(pool, index, facts, report);
      wayOut(pool, facts, report);
      whichCard(pool, report);
    }
  }
  secondPrefix(facts, report);
  nameservers(facts, report);
};

function notTold({ settings, origin }: VpsPool, report: Report): void {
  for (const key of NOT_TOLD) {
    if (settings[key] === undefined) continue;
    const path = origin(key);
    report.problem(path, {
      message: `${pathName(path)} has no effect on a node with dhcp: true (${report.line(origin("dhcp"))}), which gets its network settings by DHCP`,
      hint: "remove it, or dhcp",
      on: "key",
    });
  }
}

function prefixed(pool: VpsPool, index: number, facts: VpsFacts, report: Report): void {
  const [node] = pool.nodes;
  const address = node?.addresses[index];
  if (node === undefined || address === undefined) return;
  const path = itemPath(report.tree, pool.origin("ip"), index);
  const written = parseNetwork(listed(pool.own.ip)[index] ?? "") !== undefined;
  const { prefix } = pool.own;
  if (index === 0 && written && prefix !== undefined) {
    report.problem(pool.origin("prefix"), {
      message: `${pathName(pool.origin("prefix"))} repeats the prefix length of ${pathName(path)}`,
      hint: "remove it, or remove the prefix length after the address",
      on: "key",
    });
    return;
  }
  const found = prefixOf(facts, node, index);
  if (found === undefined) {
    // What could not be read may have said it.
    if (isUnread("cidr", facts.networks, report) || (index === 0 && report.has(["nodes", pool.index, "prefix"]))) return;
    const outside = facts.networks.length > 0 ? " and is outside network.cidr" : "";
    report.problem(path, {
      message: `${pathName(path)} has no prefix length${outside}`,
      hint: `write it as the provider shows it, such as ${formatIp(address)}/${address.family === 4 ? 24 : 64}, or /${address.family === 4 ? 32 : 128} for a single address; or set dhcp: true when its network assigns it`,
      remark: "prefix length is missing",
    });
    return;
  }
  const network = networkOf(facts, node, index);
  if (network === undefined)
    report.problem(pool.origin("prefix"), {
      message: `${pathName(pool.origin("prefix"))} ${prefix} is longer than an IPv${address.family} address`,
      hint: `use at most ${address.family === 4 ? 32 : 128}`,
    });
  else fits(pool, index, network, path, report);
}

/** With one or two addresses in it, a network has none of its own. */
function fits(pool: VpsPool, index: number, network: Network, path: Path, report: Report): void {
  if (network.last - network.first <= 1n) return;
  const misfit = pool.nodes.find(({ addresses }) => addresses[index] !== undefined && !isUsable(network, addresses[index]));
  const address = misfit?.addresses[index];
  if (misfit === undefined || address === undefined) return;
  report.problem(
    path,
    misfit === pool.nodes[0]
      ? {
          ...unusable(path, network, address),
          hint: `check the address and its prefix length: ${network.text} is the network`,
        }
      : {
          message: `${pathName(path)} leaves no room in ${network.text} for ${pool.nodes.length} nodes`,
          hint: "write the servers one by one, each with its address",
          remark: `${misfit.name ?? "a node"} would get ${formatIp(address)}${contains(network, address) ? "" : ", which is outside"}`,
        },
  );
}

function wayOut(pool: VpsPool, facts: VpsFacts, report: Report): void {
  const address = pool.nodes[0]?.addresses[0];
  const said = report.has(pool.origin("gateway")) && pool.origin("gateway").at(-1) === "gateway";
  if (address === undefined || said || report.has(["nodes", pool.index, "gateway"])) return;
  // That it is of another family is what is wrong.
  if (address.family !== facts.families[0]) return;
  if (isUnread("gateway", facts.gateways, report) || gatewayFor(facts, address) !== undefined) return;
  report.problem(
    ["nodes", pool.index],
    {
      message: `nodes[${pool.index}].gateway is missing`,
      hint: `add to this entry the gateway that the provider shows, which may be outside the node's network:\ngateway: ${address.family === 4 ? "203.0.113.1" : "fe80::1"}\nor set network.gateway for all nodes, or dhcp: true when its network assigns it`,
      remark: "gateway is missing",
    },
    "CONFIG_MISSING_KEY",
  );
}

/** Checks that a server with several cards names the one with its address. */
function whichCard({ index, settings }: VpsPool, report: Report): void {
  if ((settings.nics ?? []).length === 0 || settings.bond !== undefined || report.has(["nodes", index, "mac"])) return;
  report.problem(
    ["nodes", index],
    {
      message: `nodes[${index}].mac is missing: with nics it has several network cards`,
      hint: 'add to this entry the card that has this address:\nmac: "BC:24:11:00:00:11"',
      remark: "mac is missing",
    },
    "CONFIG_MISSING_KEY",
  );
}

/** Checks that all second addresses have the same prefix length. */
function secondPrefix(facts: VpsFacts, report: Report): void {
  const all = facts.pools.flatMap((pool) =>
    pool.settings.dhcp === true ? [] : pool.nodes.slice(0, 1).map((node) => ({ pool, prefix: prefixOf(facts, node, 1) })),
  );
  const first = all.find(({ prefix }) => prefix !== undefined);
  for (const { pool, prefix } of all) {
    if (first === undefined || prefix === undefined || prefix === first.prefix) continue;
    const path = itemPath(report.tree, pool.origin("ip"), 1);
    report.problem(path, {
      message: `${pathName(path)} has the prefix length ${prefix}, but that of nodes[${first.pool.index}] is ${first.prefix}`,
      hint: "write the same for all nodes: only that of the first address may differ",
    });
  }
}

/** Checks for nameservers, because a provider's gateway is rarely a DNS server. */
function nameservers(facts: VpsFacts, report: Report): void {
  const told = facts.pools.filter(({ settings }) => settings.dhcp !== true);
  const [family] = facts.families;
  if (told.length === 0 || report.has(["network", "nameservers"]) || family === undefined || facts.draft.network === undefined)
    return;
  const gateway = gatewayFor(facts, { family });
  const such = `nameservers: [${family === 4 ? "9.9.9.9, 1.1.1.1" : '"2620:fe::fe", "2606:4700:4700::1111"'}]`;
  if (gateway !== undefined)
    report.warn(["network", "gateway"], {
      message: `network.nameservers is not set, so nodes use their gateway ${formatIp(gateway)} as DNS server, which rarely works at providers`,
      hint: `add the provider's DNS servers, or others, under network:\n${such}`,
    });
  else if (!isUnread("gateway", facts.gateways, report))
    report.problem(
      ["network"],
      {
        message: "network.nameservers is missing",
        hint: `add the provider's DNS servers, or others, under network:\n${such}`,
        remark: "nameservers is missing",
        on: "key",
      },
      "CONFIG_MISSING_KEY",
    );
}

/** Whether a value, or a part of it, is invalid. */
function isUnread(key: "cidr" | "gateway", all: readonly unknown[], report: Report): boolean {
  return all.includes(undefined) || (all.length === 0 && report.has(["network", key]));
}
