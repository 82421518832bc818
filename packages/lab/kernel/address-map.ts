import ipaddr from "ipaddr.js";
import type { Lab } from "./kernel.ts";

/**
 * Where the lab listens for an address of a config: loopback addresses are served as they are, any other one at the address of the lab's
 * block with the same last number, which is where a wire file leads clients.
 */
export function listenAddress(lab: Pick<Lab, "address">, ip: string): string {
  // Most are, and this is asked in every turn.
  if (ip.startsWith("127.")) return ip;
  const address = ipaddr.parse(ip);
  if (address.range() === "loopback") return ip;
  return lab.address.host(address.toByteArray().at(-1) ?? 1);
}
