import { formatIp } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { type Facts, gatewayFor, isAtProvider } from "../checks/facts.ts";
import type { NetworkConfig, OneNetwork } from "../config.ts";
import { prefixOf, privateNetwork } from "../node-networks.ts";
import { sshOf } from "./ssh.ts";
import { canonical, defined, sure } from "./values.ts";

/** How nodes are reached, and what they reach. */
export function networkOf(facts: Facts, sshKey: string | undefined, redactor: Redactor): NetworkConfig {
  return isAtProvider(facts) ? networkOfServers(facts, sshKey, redactor) : oneNetworkOf(facts, sshKey, redactor);
}

/** A network that all nodes are in. */
function oneNetworkOf(facts: Facts, sshKey: string | undefined, redactor: Redactor): OneNetwork {
  const first = sure(facts.networks[0]);
  const gateway = formatIp(sure(gatewayFor(facts, first)));
  return {
    cidr: first.text,
    prefix: first.prefix,
    gateway,
    ...commonOf(facts, gateway, sshKey, redactor),
    ...secondOf(facts),
  };
}

/** What nodes have in common whose neighbours are strangers; the prefixes and gateways of their first addresses are theirs. */
function networkOfServers(facts: Facts, sshKey: string | undefined, redactor: Redactor): NetworkConfig {
  const [first, second] = facts.families;
  const gateway = gatewayFor(facts, { family: sure(first) });
  const prefixes = facts.pools.flatMap(({ nodes }) => nodes.flatMap((node) => prefixOf(facts, node, 1) ?? []));
  const via = second === undefined ? undefined : gatewayFor(facts, { family: second });
  return {
    ...commonOf(facts, gateway && formatIp(gateway), sshKey, redactor),
    ...defined({ privateCidr: privateNetwork(facts)?.text }),
    ...(second !== undefined && {
      // Where every node gets its address by DHCP there is no prefix, and this fallback is not used.
      second: { prefix: prefixes[0] ?? (second === 4 ? 32 : 128), ...(via !== undefined && { gateway: formatIp(via) }) },
    }),
  };
}

function commonOf(
  facts: Facts,
  gateway: string | undefined,
  sshKey: string | undefined,
  redactor: Redactor,
): Omit<NetworkConfig, "cidr" | "prefix" | "gateway" | "second"> {
  const network = sure(facts.draft.network);
  const { proxy } = network;
  return {
    nameservers: network.nameservers?.map((server) => canonical(sure(server))) ?? (gateway === undefined ? [] : [gateway]),
    ...(network.via === "ssh"
      ? { via: "ssh", ssh: sshOf(network.ssh, facts.platform?.sshHost?.(facts), sshKey, redactor) }
      : { via: "direct" }),
    timeServers: network.timeServers?.map((server) => canonical(sure(server))) ?? [],
    ...defined({ mtu: network.mtu }),
    ...(proxy !== undefined && {
      proxy: { ...defined({ http: proxy.http, https: proxy.https }), except: proxy.except?.map(sure) ?? [] },
    }),
  };
}

function secondOf(facts: Facts): Pick<NetworkConfig, "second"> {
  const network = facts.networks[1];
  if (network === undefined) return {};
  const gateway = gatewayFor(facts, network);
  return {
    second: { cidr: network.text, prefix: network.prefix, ...(gateway !== undefined && { gateway: formatIp(gateway) }) },
  };
}
