import { type Ip, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";

/** Addresses in a row, both ends included. */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** "10.0.0.240-10.0.0.250", or a network by its own address; undefined when it is neither. */
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
