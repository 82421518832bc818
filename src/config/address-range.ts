import { type Ip, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";

/** A range of addresses, both ends included. */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** Parses "10.0.0.240-10.0.0.250" or a network with its network address; undefined for other texts. */
export function addressRange(written: string): AddressRange | undefined {
  const network = parseNetwork(written);
  if (network !== undefined) {
    const { family, first, last, address } = network;
    return address.value === first ? { family, first, last } : undefined;
  }
  const [from, to, ...more] = written.split("-").map((end) => parseIp(end.trim()));
  if (from === undefined || to === undefined || more.length > 0) return undefined;
  return from.family === to.family && from.value <= to.value
    ? { family: from.family, first: from.value, last: to.value }
    : undefined;
}

export function holds({ family, first, last }: AddressRange, ip: Ip): boolean {
  return ip.family === family && ip.value >= first && ip.value <= last;
}
