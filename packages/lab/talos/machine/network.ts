import ipaddr from "ipaddr.js";
import { documentsIn, machineConfig } from "../config/machine-config.ts";
import { type NodeNetwork, nodeNetwork } from "../config/network.ts";
import type { Boot, Machine } from "../state.ts";

const known = new WeakMap<Machine, { of: string; text: string; network: NodeNetwork; addresses: readonly string[] }>();

/** The config that a machine's kernel currently follows. */
export function networkConfig(boot: Boot | undefined): string | undefined {
  return boot?.network?.config ?? boot?.config;
}

/** The current addresses and names of a machine. */
export function networkOf(machine: Machine): NodeNetwork {
  return situationOf(machine).network;
}

function situationOf(machine: Machine): { network: NodeNetwork; addresses: readonly string[] } {
  const { boot, platform, hardware } = machine;
  const text = networkConfig(boot) ?? boot?.partial ?? "";
  const of = `${boot?.number} ${hardware.links.map(({ name }) => name).join()}`;
  const before = known.get(machine);
  if (before?.of === of && before.text === text) return before;
  const documents = boot?.config === undefined ? (text === "" ? [] : documentsIn(text)) : (machineConfig(text)?.documents ?? []);
  const stableName = `talos-${hardware.uuid.slice(0, 3)}-${hardware.uuid.slice(-3)}`;
  const network = nodeNetwork(documents, platform, hardware.links, stableName);
  const addresses = network.addresses
    .map(({ address }) => address.split("/")[0] ?? "")
    .filter((address) => ipaddr.isValid(address) && ipaddr.parse(address).range() !== "linkLocal");
  const now = { of, text, network, addresses };
  known.set(machine, now);
  return now;
}

/** Addresses without prefix. Link-local addresses are left out, because other machines cannot reach them. */
export function addressesOf(machine: Machine): readonly string[] {
  return situationOf(machine).addresses;
}

/** The main address: one from the config before one from the platform. */
export function primaryAddress(machine: Machine): string | undefined {
  return addressesOf(machine)[0];
}
