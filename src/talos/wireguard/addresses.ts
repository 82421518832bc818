import { formatIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { NodeConfig, WireguardConfig } from "../../config/config.ts";

/** The nodes' addresses in the network, by name: its first ones, in the order of the config. */
export function wireguardAddresses(
  { cidr }: Pick<WireguardConfig, "cidr">,
  nodes: readonly Pick<NodeConfig, "name">[],
): ReadonlyMap<string, string> {
  const network = parseNetwork(cidr);
  if (network === undefined) return new Map();
  const { family, first } = network;
  return new Map(nodes.map(({ name }, at) => [name, formatIp({ family, value: first + BigInt(at + 1) })]));
}
