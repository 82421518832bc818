import ipaddr from "ipaddr.js";
import { parseIpv4 } from "./cidr.ts";

/** Addresses and networks of both families, as numbers, so that they can be compared and counted. */

export type Family = 4 | 6;

export interface Ip {
  readonly family: Family;
  readonly value: bigint;
}

const BITS: Record<Family, number> = { 4: 32, 6: 128 };

/** Parses plain addresses only: no zones, and no IPv4 inside IPv6, which programs read differently. */
export function parseIp(text: string): Ip | undefined {
  const four = parseIpv4(text);
  if (four !== undefined) return { family: 4, value: BigInt(four) };
  if (!/^[0-9a-f:]{2,39}$/i.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const parsed = ipaddr.IPv6.parse(text);
  if (parsed.isIPv4MappedAddress()) return undefined;
  return { family: 6, value: parsed.parts.reduce((value, part) => (value << 16n) | BigInt(part), 0n) };
}

/** Formats an address in its shortest form, RFC 5952, which is also what Go prints. */
export function formatIp({ family, value }: Ip): string {
  const part = (bits: bigint, place: number) => Number((value >> (bits * BigInt(place))) & ((1n << bits) - 1n));
  if (family === 4) return [3, 2, 1, 0].map((place) => part(8n, place)).join(".");
  return new ipaddr.IPv6([7, 6, 5, 4, 3, 2, 1, 0].map((place) => part(16n, place))).toRFC5952String();
}

/** The address `places` positions further on. */
export function after({ family, value }: Ip, places: number): Ip {
  return { family, value: value + BigInt(places) };
}

export function sameIp(a: Ip, b: Ip): boolean {
  return a.family === b.family && a.value === b.value;
}

export interface Network {
  readonly family: Family;
  readonly prefix: number;
  /** The network's own address. */
  readonly first: bigint;
  readonly last: bigint;
  /** In the shortest spelling. */
  readonly text: string;
}

/** Parses a network and the address it was written with; undefined when it is invalid. */
export function parseNetwork(text: string): (Network & { readonly address: Ip }) | undefined {
  const [written = "", length = "", ...more] = text.split("/");
  const address = parseIp(written);
  if (address === undefined || more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const bits = BITS[address.family];
  const prefix = Number(length);
  if (prefix > bits) return undefined;
  const rest = BigInt(bits - prefix);
  const first = (address.value >> rest) << rest;
  const { family } = address;
  const own = formatIp({ family, value: first });
  return { family, prefix, first, last: first + (1n << rest) - 1n, text: `${own}/${prefix}`, address };
}

export function contains(network: Network, { family, value }: Ip): boolean {
  return family === network.family && value >= network.first && value <= network.last;
}

/** Whether a machine can have the address: inside the network, but not its first address and, with IPv4, not its last. */
export function isUsable(network: Network, ip: Ip): boolean {
  return contains(network, ip) && ip.value !== network.first && (ip.family === 6 || ip.value !== network.last);
}

export function overlap(a: Network, b: Network): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}
