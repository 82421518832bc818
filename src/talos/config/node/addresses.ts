import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";

const LINK_LOCAL = ["169.254.0.0/16", "fe80::/10"].flatMap((text) => parseNetwork(text) ?? []);

export function isSameFamily(a: string, b: string): boolean {
  return isV6(a) === isV6(b);
}

/** Whether an address is in a network; a network of the other family has no such address. */
export function isInside(address: string, cidr: string): boolean {
  const [ip, network] = [parseIp(address), parseNetwork(cidr)];
  return ip !== undefined && network !== undefined && contains(network, ip);
}

/** The network of just this address. */
export function hostNetwork(address: string): string {
  return `${address}/${isV6(address) ? 128 : 32}`;
}

/** Reached on the link itself, whatever networks it is in. */
export function isLinkLocal(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && LINK_LOCAL.some((network) => contains(network, ip));
}

function isV6(text: string): boolean {
  return text.includes(":");
}
