import ipaddr from "ipaddr.js";

export function isSameFamily(a: string, b: string): boolean {
  return isV6(a) === isV6(b);
}

/** Whether an address is in a network; a network of the other family has no such address. */
export function isInside(address: string, cidr: string): boolean {
  if (!isSameFamily(address, cidr)) return false;
  return ipaddr.parse(address).match(ipaddr.parseCIDR(cidr));
}

/** The network of just this address. */
export function hostNetwork(address: string): string {
  return `${address}/${isV6(address) ? 128 : 32}`;
}

/** Reached on the link itself, whatever networks it is in. */
export function isLinkLocal(address: string): boolean {
  return ipaddr.parse(address).range() === "linkLocal";
}

function isV6(text: string): boolean {
  return text.includes(":");
}
