import { contains, formatIp, type Ip, isUsable, type Network, parseIp } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { networkOf } from "../node-networks.ts";
import { itemPath, type Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import { freeRange, unusable } from "./addresses.ts";
import { type Check, type Facts, isAtProvider } from "./facts.ts";

/** Checks that a node's gateway is one that a machine can have, and that its own has the family of its first network and is reachable. */
export const gateways: Check = (facts, report) => {
  const {
    pools,
    networks: [first],
    families: [family],
    platform,
  } = facts;
  const rule = platform?.gatewayInside;
  for (const pool of pools) {
    if (unusableGateway(pool, facts, report)) continue;
    const gateway = pool.settings.gateway === undefined ? undefined : parseIp(pool.settings.gateway);
    if (gateway === undefined || family === undefined) continue;
    const path = pool.origin("gateway");
    if (gateway.family !== family)
      report.problem(path, {
        message: `${pathName(path)} is IPv${gateway.family}, but the nodes' first network is IPv${family}`,
        hint: `write an IPv${family} address`,
      });
    else if (rule?.always && first !== undefined && !isUsable(first, gateway))
      report.problem(path, {
        message: `${pathName(path)} is outside network.cidr`,
        hint: `choose an address from ${freeRange(first)}: ${rule.because}`,
        remark: `not in ${first.text}`,
      });
    else if (pool.nodes.some(({ addresses }) => addresses[0] !== undefined && formatIp(addresses[0]) === formatIp(gateway)))
      report.problem(path, { message: `${pathName(path)} is the node's own address`, hint: "write the gateway's address" });
  }
};

/** Reports a gateway that is the own address of the node's network, or its broadcast address; network.gateway as well where each node has a network of its own. */
function unusableGateway(pool: Pool, facts: Facts, report: Report): boolean {
  const { gateway } = pool.settings;
  const all =
    gateway === undefined && isAtProvider(facts) ? facts.gateways : [gateway === undefined ? undefined : parseIp(gateway)];
  const [node] = pool.nodes;
  const network = isAtProvider(facts) ? node && networkOf(facts, node, 0) : facts.networks[0];
  const index = all.findIndex((one) => one !== undefined && network !== undefined && isOwnAddress(network, one));
  const found = all[index];
  if (found === undefined || network === undefined) return false;
  const path = gateway === undefined ? itemPath(report.tree, ["network", "gateway"], index) : pool.origin("gateway");
  report.problem(path, unusable(path, network, found));
  return true;
}

/** With one or two addresses, a network has none of its own. */
function isOwnAddress(network: Network, ip: Ip): boolean {
  return network.last - network.first > 1n && contains(network, ip) && !isUsable(network, ip);
}
