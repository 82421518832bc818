import { internalError } from "@talosmith/lib/errors.ts";
import type { SeedAddress } from "../../takeover/disk/network-meta.ts";
import type { Survey, SurveyedCard } from "../../takeover/survey.ts";
import type { Seed } from "../../takeover/write/seed.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/** The network settings for a node whose disk cannot carry the whole config: those of the config, or the current DHCP lease where the config uses DHCP. */
export function seedNetwork(
  { config }: VpsEnvironment,
  node: VpsNodeConfig,
  survey: Survey,
  card: SurveyedCard | undefined,
): Seed {
  const mac = node.mac ?? node.bond?.macs[0] ?? card?.mac;
  if (mac === undefined) throw internalError("NO_CARD", { message: `no network card was chosen for ${node.name}` });
  const { second, nameservers, timeServers, mtu } = config.network;
  const addresses: SeedAddress[] = [
    node.gateway === undefined ? leased(node, survey, card) : { ip: node.ip, prefix: node.prefix, gateway: node.gateway },
    ...(node.secondIp === undefined || second === undefined
      ? []
      : [{ ip: node.secondIp, prefix: second.prefix, ...(second.gateway !== undefined && { gateway: second.gateway }) }]),
  ];
  return {
    is: "network",
    network: { hostname: node.name, mac, addresses, nameservers, timeServers, ...(mtu !== undefined && { mtu }) },
  };
}

function leased({ ip, prefix }: VpsNodeConfig, { network }: Survey, card: SurveyedCard | undefined): SeedAddress {
  const own = card?.addresses.find((address) => address.startsWith(`${ip}/`));
  const length = own === undefined ? prefix : Number(own.slice(own.indexOf("/") + 1));
  return { ip, prefix: length, ...(network.gateway !== undefined && { gateway: network.gateway }) };
}
