import ipaddr from "ipaddr.js";

/** IPv4 addresses as numbers, so that they can be compared and counted. */

export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const octets = match.slice(1);
  // Some programs read a leading zero as octal, others ignore it.
  if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith("0")))) return undefined;
  return octets.reduce((address, octet) => address * 256 + Number(octet), 0);
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

export function isIpv6(text: string): boolean {
  return ipaddr.IPv6.isValid(text);
}

/** An IPv4 network. */
export interface Cidr {
  readonly text: string;
  readonly prefix: number;
  /** The network's own address. */
  readonly network: number;
  readonly broadcast: number;
}

/** Parses an IPv4 network; undefined when it is invalid. Host bits are cut off: compare `text` to detect them. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^([\d.]+)\/(\d{1,2})$/.exec(text);
  const address = parseIpv4(match?.[1] ?? "");
  const prefix = Number(match?.[2]);
  if (address === undefined || !(prefix <= 32)) return undefined;
  const size = 2 ** (32 - prefix);
  const network = Math.floor(address / size) * size;
  return { text: `${formatIpv4(network)}/${prefix}`, prefix, network, broadcast: network + size - 1 };
}

export function contains(cidr: Cidr, address: number): boolean {
  return address >= cidr.network && address <= cidr.broadcast;
}

/** Whether a machine can have the address: inside the network, and neither its network nor its broadcast address. */
export function isUsable(cidr: Cidr, address: number): boolean {
  return address > cidr.network && address < cidr.broadcast;
}
