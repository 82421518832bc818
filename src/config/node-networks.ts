import { contains, formatIp, type Network, parseNetwork } from "@talosmith/lib/ip.ts";
import { type Facts, isAtProvider } from "./checks/facts.ts";
import { listed, type Pool, type PoolNode } from "./pools.ts";

const ALONE = { 4: 32, 6: 128 } as const;

/** The prefix length of a node's address: its own or its network's; undefined when unknown. */
export function prefixOf({ networks }: Pick<Facts, "networks">, node: PoolNode, index: number): number | undefined {
  const address = node.addresses[index];
  if (address === undefined) return undefined;
  return node.prefixes[index] ?? networks.find((network) => network !== undefined && contains(network, address))?.prefix;
}

/** The network of a node's address; a single-address network when its prefix length is unknown. */
export function networkOf(facts: Pick<Facts, "networks">, node: PoolNode, index: number): Network | undefined {
  const address = node.addresses[index];
  if (address === undefined) return undefined;
  return parseNetwork(`${formatIp(address)}/${prefixOf(facts, node, index) ?? ALONE[address.family]}`);
}

/**
 * The network between nodes that are at a provider: all of them have a further card in it, and no other machine does. Their first addresses are for people and the
 * Internet; to each other they talk here.
 */
export function privateNetwork({
  platform,
  pools,
  families,
}: Pick<Facts, "platform" | "pools" | "families">): Network | undefined {
  if (!isAtProvider({ platform })) return undefined;
  const [first, ...others] = pools.map(cardNetworks);
  return first?.find(
    ({ family, text }) => family === families[0] && others.every((all) => all.some((network) => network.text === text)),
  );
}

/** An address that is alone in its network, as some providers give them, is in the one that its card has a route to. */
function cardNetworks({ settings }: Pool): Network[] {
  return (settings.nics ?? []).flatMap((nic) =>
    [nic, ...(nic?.vlans ?? [])].flatMap((link) =>
      listed(link?.ip).flatMap((text) => {
        const own = parseNetwork(text ?? "");
        if (own === undefined) return [];
        if (own.prefix < ALONE[own.family]) return [own];
        const routed = (nic?.routes ?? []).map((route) => parseNetwork(route?.to ?? ""));
        return routed.flatMap((network) => (network && network.prefix > 0 && contains(network, own.address) ? [network] : []));
      }),
    ),
  );
}

/** Whether traffic between nodes passes through other networks. */
export function areApart(facts: Pick<Facts, "platform" | "networks" | "pools" | "families">): boolean {
  if (privateNetwork(facts) !== undefined) return false;
  const all = facts.pools.flatMap(({ nodes }) => nodes.map((node) => networkOf(facts, node, 0)?.text));
  return new Set(all).size > 1;
}
