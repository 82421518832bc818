import { contains } from "../config/firewall.ts";
import { machineConfig, textsAt } from "../config/machine-config.ts";
import type { Machine } from "../state.ts";
import { addressesOf } from "./network.ts";

/**
 * Of several addresses, the one that a part of Talos gives out: the first that the config's networks name, in which ! excludes one (docs/facts/talos.md#virtual-address). Without such
 * networks it is the machine's first.
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

/** Of kubelet, which does not start without one. */
export function nodeIp(machine: Machine): string | undefined {
  return addressWithin(machine, "machine.kubelet.nodeIP.validSubnets");
}

/** Where other members of etcd find this one; nowhere when no address fits. */
export function advertisedAddress(machine: Machine): string {
  return addressWithin(machine, "cluster.etcd.advertisedSubnets") ?? "";
}
