import { type Cidr, contains, formatIpv4, isUsable, parseIpv4 } from "../../lib/cidr.ts";
import { pathName } from "../../lib/yaml/tree.ts";
import type { Pool, PoolNode } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check, Facts } from "./facts.ts";

/** Every address is in the network, and nobody else's. */
export const addresses: Check = (facts, report) => {
  gatewayInside(facts, report);
  for (const pool of facts.pools) insideNetwork(pool, facts, report);
  notTwice(facts, report);
  notNameservers(facts, report);
};

/** Addresses a machine can have; the gateway is taken off when it is at an end. */
export function freeRange(cidr: Cidr, gateway: number | undefined): string {
  const first = cidr.network + (gateway === cidr.network + 1 ? 2 : 1);
  const last = cidr.broadcast - (gateway === cidr.broadcast - 1 ? 2 : 1);
  return `${formatIpv4(first)} to ${formatIpv4(last)}`;
}

function gatewayInside({ draft, cidr, gateway }: Facts, report: Report): void {
  if (cidr === undefined || gateway === undefined || isUsable(cidr, gateway)) return;
  const range = freeRange(cidr, undefined);
  report.problem(
    ["network", "gateway"],
    contains(cidr, gateway)
      ? {
          message: "network.gateway is not an address a machine can have",
          hint: `choose one from ${range}`,
          remark: ownName(cidr, gateway),
        }
      : {
          message: "network.gateway is outside network.cidr",
          hint: `choose an address from ${range}: ${draft.platform === "metal" ? "nodes reach their gateway directly" : "Proxmox sets up no gateway outside the network"}`,
          remark: `not in ${cidr.text}`,
        },
  );
}

/** One problem for a pool, about its first node that does not fit. */
function insideNetwork(pool: Pool, facts: Facts, report: Report): void {
  const { cidr, gateway } = facts;
  if (cidr === undefined) return;
  const misfit = pool.nodes.find(({ address }) => address !== undefined && !isUsable(cidr, address));
  if (misfit?.address === undefined) return;
  const key = pathName(pool.origin("ip"));
  const range = freeRange(cidr, gateway);
  if (misfit !== pool.nodes[0])
    report.problem(pool.origin("ip"), {
      message: `${key} leaves no room in network.cidr for ${pool.nodes.length} nodes`,
      hint: `begin lower, or lower count: the addresses go from ${range}`,
      remark: `${misfit.name ?? "a node"} would get ${formatIpv4(misfit.address)}`,
    });
  else if (contains(cidr, misfit.address))
    report.problem(pool.origin("ip"), {
      message: `${key} is not an address a machine can have`,
      hint: `choose an address from ${range}`,
      remark: ownName(cidr, misfit.address),
    });
  else
    report.problem(pool.origin("ip"), {
      message: `${key} is outside network.cidr`,
      hint: `choose an address from ${range}, or widen network.cidr (${report.line(["network", "cidr"])})`,
      remark: `not in ${cidr.text}`,
    });
}

function ownName(cidr: Cidr, address: number): string {
  return address === cidr.network ? "the network itself" : "the network's broadcast address";
}

function notTwice({ pools, gateway }: Facts, report: Report): void {
  const taken = new Map<number, { pool: Pool; node: PoolNode }>();
  for (const pool of pools) {
    let said = false;
    for (const node of pool.nodes) {
      if (node.address === undefined) continue;
      const other = taken.get(node.address);
      const owner = node.address === gateway ? "the gateway" : other === undefined ? undefined : label(other.node, other.pool);
      taken.set(node.address, { pool, node });
      if (owner === undefined || said) continue;
      said = true;
      const path = pool.origin("ip");
      const address = formatIpv4(node.address);
      report.problem(path, {
        message: `${pathName(path)} gives ${label(node, pool)} the address of ${owner}`,
        hint:
          pool.nodes.length > 1
            ? `begin elsewhere: ${address} is inside this pool's range`
            : `choose another address than ${address}`,
        remark: `${address} is taken by ${owner}`,
      });
    }
  }
}

function label(node: PoolNode, pool: Pool): string {
  return node.name ?? `nodes[${pool.index}]`;
}

function notNameservers({ draft, pools, gateway }: Facts, report: Report): void {
  const servers = (draft.network?.nameservers ?? []).map((server) => (server === undefined ? undefined : parseIpv4(server)));
  for (const pool of pools)
    for (const node of pool.nodes) {
      const index = node.address === undefined || node.address === gateway ? -1 : servers.indexOf(node.address);
      if (index === -1) continue;
      report.warn(["network", "nameservers", index], {
        message: `network.nameservers names ${label(node, pool)}, a node of this cluster`,
        hint: "name a server outside the cluster: nodes that need each other to start may not start at all",
      });
    }
}
