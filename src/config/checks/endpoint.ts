import { contains, formatIpv4, isUsable, parseIpv4 } from "../../lib/cidr.ts";
import { pathName } from "../../lib/yaml/tree.ts";
import type { Pool, PoolNode } from "../pools.ts";
import type { Report, Said } from "../report.ts";
import { freeRange } from "./addresses.ts";
import type { Check, Facts } from "./facts.ts";

const ENDPOINT = ["cluster", "endpoint"];
const VIP = ["cluster", "vip"];

/** The endpoint is a VIP, a control plane, something in front of the cluster, or a name; and a VIP is nobody else's address. */
export const endpoint: Check = (facts, report) => {
  const { endpoint, vip } = facts.draft.cluster ?? {};
  const address = endpoint === undefined ? undefined : parseIpv4(endpoint);
  const floating = vip === undefined ? undefined : parseIpv4(vip);
  const inside = address !== undefined && facts.cidr !== undefined && contains(facts.cidr, address);
  if (floating !== undefined) {
    floats(floating, VIP, facts, report);
    if (inside && floating !== address) report.problem(VIP, twoAddresses(address));
  } else if (inside) {
    const owner = ownerOf(address, facts);
    if (owner === undefined) floats(address, ENDPOINT, facts, report);
    else isNode(owner, facts, report);
  }
};

/** Whether the endpoint address floats: inside the network, and no node's. */
export function isVip(facts: Facts, address: number): boolean {
  return facts.cidr !== undefined && contains(facts.cidr, address) && ownerOf(address, facts) === undefined;
}

function twoAddresses(address: number): Said {
  return {
    message: "cluster.vip differs from cluster.endpoint, which is an address of the nodes' network too",
    hint: "remove vip: an unused endpoint address is a VIP by itself; vip is for an endpoint that is a name or a load balancer outside",
    remark: `the endpoint is ${formatIpv4(address)}`,
  };
}

function isNode({ pool, node }: Owner, facts: Facts, report: Report): void {
  const name = node.name ?? `nodes[${pool.index}]`;
  const several = facts.pools.filter(({ role }) => role === "controlplane").reduce((sum, { nodes }) => sum + nodes.length, 0) > 1;
  if (pool.role === "worker")
    report.problem(ENDPOINT, {
      message: `cluster.endpoint is the address of ${name}, a worker`,
      hint: "use an unused address of the network (it becomes a VIP), or a control plane's address",
      remark: `${name} is a worker`,
    });
  else if (pool.role === "controlplane" && several)
    report.warn(ENDPOINT, {
      message: `cluster.endpoint is ${name}: without that one control plane the cluster cannot be reached`,
      hint: "use an unused address of the network instead: it floats between the control planes",
    });
}

function floats(address: number, path: string[], facts: Facts, report: Report): void {
  const { cidr, gateway, draft } = facts;
  const free = cidr === undefined ? "choose an unused address" : `choose an unused address from ${freeRange(cidr, gateway)}`;
  const fault = whyNotFloating(address, facts);
  if (fault !== undefined)
    report.problem(path, { message: `${pathName(path)} is ${fault.says}`, hint: free, remark: fault.remark });
  else if ((draft.network?.nameservers ?? []).includes(formatIpv4(address)))
    report.warn(path, {
      message: `${pathName(path)} is also a nameserver`,
      hint: `${free}, unless the DNS server is to lose it`,
    });
}

function whyNotFloating(address: number, facts: Facts): { says: string; remark: string } | undefined {
  const { cidr, gateway } = facts;
  const owner = ownerOf(address, facts);
  if (owner !== undefined) {
    const node = owner.node.name ?? `nodes[${owner.pool.index}]`;
    return { says: `the address of ${node}`, remark: `taken by ${node}` };
  }
  if (address === gateway) return { says: "the gateway's address", remark: "taken by the gateway" };
  if (cidr === undefined) return undefined;
  if (!contains(cidr, address)) return { says: "outside network.cidr", remark: `not in ${cidr.text}` };
  if (!isUsable(cidr, address)) return { says: "not an address a machine can have", remark: "the network's own" };
  return undefined;
}

type Owner = { pool: Pool; node: PoolNode };

function ownerOf(address: number, { pools }: Facts): Owner | undefined {
  for (const pool of pools) for (const node of pool.nodes) if (node.address === address) return { pool, node };
  return undefined;
}
