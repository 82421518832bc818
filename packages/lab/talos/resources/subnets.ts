import ipaddr from "ipaddr.js";
import { type MachineConfig, textsAt } from "../config/machine-config.ts";

function subnets(config: MachineConfig, path: string, usual: string): string[] {
  const given = textsAt(config, path);
  return given.length > 0 ? given : [usual];
}

export function podSubnets(config: MachineConfig): string[] {
  return subnets(config, "cluster.network.podSubnets", "10.244.0.0/16");
}

export function serviceSubnets(config: MachineConfig): string[] {
  return subnets(config, "cluster.network.serviceSubnets", "10.96.0.0/12");
}

/** The n-th address of a subnet: the first is the API server's, the tenth the DNS server's. */
export function nthAddress(cidr: string, n: number): string {
  const start = cidr.includes(":") ? ipaddr.IPv6.networkAddressFromCIDR(cidr) : ipaddr.IPv4.networkAddressFromCIDR(cidr);
  const bytes = start.toByteArray();
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + n;
  return ipaddr.fromByteArray(bytes).toString();
}
