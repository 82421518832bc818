import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { stringify } from "yaml";

/** The network settings of a node before it has a config. */
export interface SeedNetwork {
  readonly hostname: string;
  /** The MAC of the card with the addresses. */
  readonly mac: string;
  readonly addresses: readonly SeedAddress[];
  readonly nameservers: readonly string[];
  readonly timeServers: readonly string[];
  readonly mtu?: number;
}

export interface SeedAddress {
  readonly ip: string;
  readonly prefix: number;
  /** May be outside of the address's network. */
  readonly gateway?: string;
}

/** The META key of the network settings on the metal platform. */
export const NETWORK_KEY = 0x0a;

/** Talos's metric of configured routes. */
const METRIC = 1024;

const LAYER = { layer: "platform" };

/** Reachable on any link. */
const LINK_LOCAL = parseNetwork("fe80::/10");

/** The value of the network key. Talos does not use DHCP on a link that it names. */
export function networkMeta({ hostname, mac, addresses, nameservers, timeServers, mtu }: SeedNetwork): string {
  // Every card has this alternative name in Talos: its udev derives one from the MAC.
  const link = `enx${mac.toLowerCase().replaceAll(":", "")}`;
  const [host, ...domain] = hostname.split(".");
  return stringify({
    addresses: addresses.map(({ ip, prefix }) => ({
      address: `${ip}/${prefix}`,
      linkName: link,
      family: familyOf(ip),
      scope: "global",
      flags: "permanent",
      ...LAYER,
    })),
    links: [{ name: link, up: true, ...(mtu !== undefined && { mtu }), ...LAYER }],
    routes: addresses.flatMap((address) => routes(address, link)),
    hostnames: [{ hostname: host, ...(domain.length > 0 && { domainname: domain.join(".") }), ...LAYER }],
    ...(nameservers.length > 0 && { resolvers: [{ dnsServers: nameservers, ...LAYER }] }),
    ...(timeServers.length > 0 && { timeServers: [{ timeServers, ...LAYER }] }),
  });
}

function routes({ ip, prefix, gateway }: SeedAddress, link: string): object[] {
  if (gateway === undefined) return [];
  const family = familyOf(gateway);
  const rest = { outLinkName: link, table: "main", priority: METRIC, type: "unicast", protocol: "static", ...LAYER };
  const standard = { family, gateway, scope: "global", ...rest };
  if (isOnLink(gateway, `${ip}/${prefix}`)) return [standard];
  return [{ family, dst: `${gateway}/${family === "inet6" ? 128 : 32}`, scope: "link", ...rest }, standard];
}

function isOnLink(gateway: string, network: string): boolean {
  const address = parseIp(gateway);
  const own = parseNetwork(network);
  return address !== undefined && [own, LINK_LOCAL].some((one) => one !== undefined && contains(one, address));
}

function familyOf(ip: string): "inet4" | "inet6" {
  return ip.includes(":") ? "inet6" : "inet4";
}
