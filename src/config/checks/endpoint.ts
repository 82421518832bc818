import { contains, formatIp, type Ip, isUsable, parseIp, sameIp } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool, PoolNode } from "../pools.ts";
import type { Report, Said } from "../report.ts";
import { freeRange, label, ownName } from "./addresses.ts";
import { type Check, type Facts, gatewayFor, isAtProvider } from "./facts.ts";

const ENDPOINT = ["cluster", "endpoint"];
const VIP = ["cluster", "vip"];

/** Checks that the endpoint is a VIP, a control plane, a load balancer or a name, and that a VIP is an unused address. */
export const endpoint: Check = (facts, report) => {
  const { endpoint, vip } = facts.draft.cluster ?? {};
  // No address floats between nodes that are at a provider.
  if (isAtProvider(facts)) return;
  const address = endpoint === undefined ? undefined : parseIp(endpoint);
  const floating = vip === undefined ? undefined : parseIp(vip);
  const inside = address !== undefined && facts.networks.some((network) => network !== undefined && contains(network, address));
  if (floating !== undefined) {
    floats(floating, VIP, facts, report);
    if (inside && !sameIp(floating, address)) report.problem(VIP, twoAddresses(address));
  } else if (inside) {
    const owner = ownerOf(address, facts);
    if (owner === undefined) floats(address, ENDPOINT, facts, report);
    else isNode(owner, facts, report);
  }
};

/** Whether an address is a VIP: inside the nodes' first network, and not a node's. */
export function isVip(facts: Facts, address: Ip): boolean {
  const [first] = facts.networks;
  if (isAtProvider(facts)) return false;
  return first !== undefined && contains(first, address) && ownerOf(address, facts) === undefined;
}

function twoAddresses(address: Ip): Said {
  return {
    message: "cluster.vip differs from cluster.endpoint, which is also an address of the nodes' network",
    hint: "remove vip: an unused endpoint address is already a VIP; vip is for an endpoint that is a DNS name or a load balancer outside the network",
    remark: `the endpoint is ${formatIp(address)}`,
  };
}

function isNode({ pool, node }: Owner, facts: Facts, report: Report): void {
  const name = label(node, pool);
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

function floats(address: Ip, path: string[], facts: Facts, report: Report): void {
  const [first] = facts.networks;
  const free =
    first === undefined
      ? "choose an unused address"
      : `choose an unused address from ${freeRange(first, gatewayFor(facts, first))}`;
  const fault = whyNotFloating(address, facts);
  if (fault !== undefined)
    report.problem(path, { message: `${pathName(path)} is ${fault.says}`, hint: free, remark: fault.remark });
  else if (facts.draft.network?.nameservers?.some((server) => server !== undefined && isAddress(server, address)))
    report.warn(path, {
      message: `${pathName(path)} is also a nameserver`,
      hint: `${free}, unless the DNS server will give it up`,
    });
}

function whyNotFloating(address: Ip, facts: Facts): { says: string; remark: string } | undefined {
  const [first, second] = facts.networks;
  const owner = ownerOf(address, facts);
  if (owner !== undefined) {
    const node = label(owner.node, owner.pool);
    return { says: `the address of ${node}`, remark: `taken by ${node}` };
  }
  if (facts.gateways.some((gateway) => gateway !== undefined && sameIp(gateway, address)))
    return { says: "the gateway's address", remark: "taken by the gateway" };
  if (first === undefined) return undefined;
  if (second !== undefined && contains(second, address))
    return { says: "in the nodes' second network: a virtual IP must be in the first", remark: `not in ${first.text}` };
  if (!contains(first, address)) return { says: "outside network.cidr", remark: `not in ${first.text}` };
  if (!isUsable(first, address)) return { says: ownName(first, address), remark: "no machine can have it" };
  return undefined;
}

function isAddress(text: string, address: Ip): boolean {
  const parsed = parseIp(text);
  return parsed !== undefined && sameIp(parsed, address);
}

type Owner = { pool: Pool; node: PoolNode };

export function ownerOf(address: Ip, { pools }: Facts): Owner | undefined {
  for (const pool of pools)
    for (const node of pool.nodes)
      if (node.addresses.some((own) => own !== undefined && sameIp(own, address))) return { pool, node };
  return undefined;
}
