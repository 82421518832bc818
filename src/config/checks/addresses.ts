import { contains, formatIp, type Ip, isUsable, type Network, parseIp, sameIp } from "@talosmith/lib/ip.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { itemPath, type Pool, type PoolNode } from "../pools.ts";
import type { Report, Said } from "../report.ts";
import { type Check, type Facts, gatewayFor, isAtProvider, networkFor } from "./facts.ts";

/** Checks that every address is inside its network and unique. */
export const addresses: Check = (facts, report) => {
  // At a provider nodes have networks of their own, which its platform looks at.
  if (!isAtProvider(facts)) {
    for (const [index, gateway] of facts.gateways.entries())
      if (gateway !== undefined) gatewayInside(gateway, index, facts, report);
    for (const pool of facts.pools) insideNetwork(pool, facts, report);
  }
  notTwice(facts, report);
  notNameservers(facts, report);
};

/** The range of usable addresses, without a gateway at its start or end. */
export function freeRange({ family, first, last }: Network, gateway?: Ip): string {
  const end = family === 4 ? last - 1n : last;
  const low = first + (gateway?.value === first + 1n ? 2n : 1n);
  const high = gateway?.value === end ? end - 1n : end;
  return `${formatIp({ family, value: low })} to ${formatIp({ family, value: high })}`;
}

function gatewayInside(gateway: Ip, index: number, facts: Facts, report: Report): void {
  const network = networkFor(facts, gateway);
  if (network === undefined || isUsable(network, gateway)) return;
  const range = freeRange(network);
  const path = itemPath(report.tree, ["network", "gateway"], index);
  const why = facts.platform?.gatewayInside?.because;
  report.problem(
    path,
    contains(network, gateway)
      ? unusable(path, network, gateway, range)
      : {
          message: `${pathName(path)} is outside network.cidr`,
          hint: `choose an address from ${range}${why === undefined ? "" : `: ${why}`}`,
          remark: `not in ${network.text}`,
        },
  );
}

/** One problem for each network of a pool, about its first node that does not fit. */
function insideNetwork(pool: Pool, facts: Facts, report: Report): void {
  for (const [index, first] of (pool.nodes[0]?.addresses ?? []).entries()) {
    const network = first === undefined ? undefined : networkFor(facts, first);
    if (network === undefined) continue;
    const misfit = pool.nodes.find(({ addresses }) => addresses[index] !== undefined && !isUsable(network, addresses[index]));
    if (misfit !== undefined)
      doesNotFit(pool, misfit, itemPath(report.tree, pool.origin("ip"), index), { index, network }, facts, report);
  }
}

function doesNotFit(
  pool: Pool,
  misfit: PoolNode,
  path: Path,
  { index, network }: { index: number; network: Network },
  facts: Facts,
  report: Report,
): void {
  const address = misfit.addresses[index];
  if (address === undefined) return;
  const range = freeRange(network, gatewayFor(facts, network));
  if (misfit !== pool.nodes[0])
    report.problem(path, {
      message: `${pathName(path)} leaves no room in network.cidr for ${pool.nodes.length} nodes`,
      hint: `start lower, or reduce count: usable addresses are ${range}`,
      remark: `${misfit.name ?? "a node"} would get ${formatIp(address)}`,
    });
  else if (contains(network, address)) report.problem(path, unusable(path, network, address, range));
  else
    report.problem(path, {
      message: `${pathName(path)} is outside network.cidr`,
      hint: `choose an address from ${range}, or widen network.cidr (${report.line(["network", "cidr"])})`,
      remark: `not in ${network.text}`,
    });
}

/** The problem of an address that is inside a network and belongs to no machine. */
export function unusable(path: Path, network: Network, ip: Ip, range = freeRange(network)): Said {
  return {
    message: `${pathName(path)} is ${ownName(network, ip)}, which no machine can have`,
    hint: `choose an address from ${range}`,
    remark: `the ${ip.value === network.first ? "first" : "last"} address of ${network.text}`,
  };
}

export function ownName({ first }: Network, { value }: Ip): string {
  return value === first ? "the network's own address" : "the network's broadcast address";
}

function notTwice(facts: Facts, report: Report): void {
  const taken = new Map<string, string>();
  for (const gateway of facts.gateways) if (gateway !== undefined) taken.set(formatIp(gateway), "the gateway");
  for (const pool of facts.pools) {
    const said = new Set<number>();
    for (const node of pool.nodes)
      for (const [index, ip] of node.addresses.entries()) {
        if (ip === undefined) continue;
        const address = formatIp(ip);
        const owner = taken.get(address);
        if (owner === undefined) taken.set(address, label(node, pool));
        if (owner === undefined || said.has(index)) continue;
        said.add(index);
        const path = itemPath(report.tree, pool.origin("ip"), index);
        report.problem(path, {
          message: `${pathName(path)} gives ${label(node, pool)} the address of ${owner}`,
          hint:
            pool.nodes.length > 1
              ? `start elsewhere: ${address} is inside this pool's range`
              : `choose another address than ${address}`,
          remark: `${address} is taken by ${owner}`,
        });
      }
  }
}

export function label(node: PoolNode, pool: Pool): string {
  return node.name ?? `nodes[${pool.index}]`;
}

function notNameservers(facts: Facts, report: Report): void {
  const servers = (facts.draft.network?.nameservers ?? []).map((server) => (server === undefined ? undefined : parseIp(server)));
  if (servers.length === 0) return;
  for (const pool of facts.pools)
    for (const node of pool.nodes) {
      const own = node.addresses.filter((address) => address !== undefined && !isGateway(address, facts));
      const index = servers.findIndex(
        (server) => server !== undefined && own.some((address) => address !== undefined && sameIp(address, server)),
      );
      if (index === -1) continue;
      report.warn(["network", "nameservers", index], {
        message: `network.nameservers names ${label(node, pool)}, a node of this cluster`,
        hint: "name a server outside the cluster: nodes that need each other to start may not start at all",
      });
    }
}

function isGateway(address: Ip, { gateways }: Facts): boolean {
  return gateways.some((gateway) => gateway !== undefined && sameIp(gateway, address));
}
