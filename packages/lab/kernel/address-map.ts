import ipaddr from "ipaddr.js";
import type { Lab } from "./kernel.ts";

/**
 * The address on which the lab listens for an address of a config: the one that the lab was given for it; else a loopback address unchanged, and any
 * other one as the address of the lab's block with the same last number, to which a wire file redirects clients.
 */
export function listenAddress(lab: Pick<Lab, "address">, ip: string): string {
  const { places } = lab.address;
  const place = places && Object.hasOwn(places, ip) ? places[ip] : undefined;
  if (place !== undefined) return lab.address.host(place);
  // A fast path: most addresses are loopback ones, and every turn calls this.
  if (ip.startsWith("127.")) return ip;
  const address = ipaddr.parse(ip);
  if (address.range() === "loopback") return ip;
  return lab.address.host(address.toByteArray().at(-1) ?? 1);
}
