import { contains, formatIp, type Network, parseNetwork } from "../lib/ip.ts";
import type { Facts } from "./checks/facts.ts";
import type { PoolNode } from "./pools.ts";

const ALONE = { 4: 32, 6: 128 } as const;

/** Prefix length of one of a node's addresses: its own, or that of the network it is in; undefined when nothing says it. */
export function prefixOf({ networks }: Pick<Facts, "networks">, node: PoolNode, index: number): number | undefined {
  const address = node.addresses[index];
  if (address === undefined) return undefined;
  return node.prefixes[index] ?? networks.find((network) => network !== undefined && contains(network, address))?.prefix;
}

/** The network one of a node's addresses is in; alone in one when its prefix length is not known. */
export function networkOf(facts: Pick<Facts, "networks">, node: PoolNode, index: number): Network | undefined {
  const address = node.addresses[index];
  if (address === undefined) return undefined;
  return parseNetwork(`${formatIp(address)}/${prefixOf(facts, node, index) ?? ALONE[address.family]}`);
}

/** Whether packets from node to node pass networks of others. */
export function areApart(facts: Pick<Facts, "networks" | "pools">): boolean {
  const all = facts.pools.flatMap(({ nodes }) => nodes.map((node) => networkOf(facts, node, 0)?.text));
  return new Set(all).size > 1;
}
