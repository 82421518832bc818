import { formatIp, parseIp } from "@talosmith/lib/ip.ts";
import type { NodeConfig, OneNetwork } from "../../config/config.ts";
import { printProperties, readProperties } from "./property-string.ts";

/** The cloud-init settings of a machine's first card: an address and a gateway of each family. Proxmox accepts no gateway without an address. */
export interface IpConfig {
  /** "10.10.0.11/24" */
  readonly ip?: string;
  readonly gw?: string;
  readonly ip6?: string;
  readonly gw6?: string;
}

export function ipConfigOf(network: OneNetwork, node: NodeConfig): IpConfig {
  const { second } = network;
  const first = ofFamily(node.ip, network.prefix, node.gateway ?? network.gateway);
  if (second === undefined || node.secondIp === undefined) return first;
  return { ...first, ...ofFamily(node.secondIp, second.prefix, second.gateway) };
}

function ofFamily(address: string, prefix: number, gateway: string | undefined): IpConfig {
  const ip = `${canonical(address)}/${prefix}`;
  const via = gateway === undefined ? undefined : canonical(gateway);
  if (parseIp(address)?.family === 6) return { ip6: ip, ...(via !== undefined && { gw6: via }) };
  return { ip, ...(via !== undefined && { gw: via }) };
}

/** Reads equal settings in different spellings as equal. */
export function readIpConfig(text: string | undefined): IpConfig {
  const { ip, gw, ip6, gw6 } = readProperties(text, "ip");
  const given = Object.entries({ ip, gw, ip6, gw6 }).flatMap(([key, value]) => (value ? [[key, canonical(value)]] : []));
  return Object.fromEntries(given);
}

export function printIpConfig({ ip, gw, ip6, gw6 }: IpConfig): string {
  const given = Object.entries({ ip, gw, ip6, gw6 }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return printProperties(Object.fromEntries(given), "");
}

/** "10.10.0.11/24 via 10.10.0.1, fd00::11/64 via fd00::1" */
export function ipConfigInWords({ ip, gw, ip6, gw6 }: IpConfig): string {
  const way = (address: string | undefined, gateway: string | undefined) =>
    address === undefined ? [] : [`${address}${gateway === undefined ? "" : ` via ${gateway}`}`];
  return [...way(ip, gw), ...way(ip6, gw6)].join(", ") || "none";
}

/** The shortest spelling of an address, with or without a prefix length. Words such as "dhcp" stay as they are. */
export function canonical(text: string): string {
  const [address = "", ...prefix] = text.split("/");
  const parsed = parseIp(address);
  return parsed === undefined ? text : [formatIp(parsed), ...prefix].join("/");
}
