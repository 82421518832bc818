import { contains } from "../config/firewall.ts";
import { machineConfig, textsAt } from "../config/machine-config.ts";
import type { Machine } from "../state.ts";
import { addressesOf } from "./network.ts";

/**
 * The address that a part of Talos announces: the first one in the config's networks, of which ! excludes one
 * (docs/facts/talos.md#virtual-address). Without such networks it is the machine's first address.
 */
function addressWithin(machine: Machine, path: string): string | undefined {
  const config = machine.boot?.config === undefined ? undefined : machineConfig(machine.boot.config);
  const networks = config === undefined ? [] : textsAt(config, path);
  const [named, excluded] = [networks.filter((one) => !one.startsWith("!")), networks.filter((one) => one.startsWith("!"))];
  return addressesOf(machine).find(
    (address) =>
      (named.length === 0 || named.some((network) => contains(network, address))) &&
      !excluded.some((network) => contains(network.slice(1), address)),
  );
}

/** The kubelet's address; the kubelet does not start without one. */
export function nodeIp(machine: Machine): string | undefined {
  return addressWithin(machine, "machine.kubelet.nodeIP.validSubnets");
}

/** The address for other etcd members; "" when no address matches. */
export function advertisedAddress(machine: Machine): string {
  return addressWithin(machine, "cluster.etcd.advertisedSubnets") ?? "";
}
