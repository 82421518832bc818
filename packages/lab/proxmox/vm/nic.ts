import { bridgeId, macAddress } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { type PropertyValues, parsePropertyString, printPropertyString } from "../parameters/property-string.ts";

const MODELS = [
  "e1000",
  "e1000-82540em",
  "e1000-82544gc",
  "e1000-82545em",
  "e1000e",
  "i82551",
  "i82557b",
  "i82559er",
  "ne2k_isa",
  "ne2k_pci",
  "pcnet",
  "rtl8139",
  "virtio",
  "vmxnet3",
];

const model: Property = { type: "string", optional: true, keyAlias: "model", alias: "macaddr" };

/** "virtio=BC:24:11:AA:BB:CC,bridge=vmbr0": the model is a key whose value is the address. */
export const NIC_PROPERTIES: Properties = {
  model: { type: "string", enum: MODELS, defaultKey: true },
  ...Object.fromEntries(MODELS.map((name) => [name, model])),
  macaddr: { type: "string", optional: true, format: macAddress },
  bridge: { type: "string", optional: true, format: bridgeId },
  queues: { type: "integer", optional: true, minimum: 0, maximum: 64 },
  rate: { type: "number", optional: true, minimum: 0 },
  tag: { type: "integer", optional: true, minimum: 1, maximum: 4094 },
  trunks: { type: "string", optional: true, pattern: /^\d+(?:-\d+)?(?:;\d+(?:-\d+)?)*$/ },
  firewall: { type: "boolean", optional: true },
  link_down: { type: "boolean", optional: true },
  mtu: { type: "integer", optional: true, minimum: 1, maximum: 65520 },
  "host-tunnel": { type: "boolean", optional: true },
};

export function isNicKey(key: string): boolean {
  return /^net(?:[0-9]|[12][0-9]|3[01])$/.test(key);
}

export function parseNic(key: string, value: string): PropertyValues {
  return parsePropertyString(NIC_PROPERTIES, value, key);
}

export function printNic(nic: PropertyValues): string {
  return printPropertyString(NIC_PROPERTIES, nic);
}

/** The ACL paths on which SDN.Use allows this network (docs/facts/proxmox.md#privileges-per-option). */
export function networkPaths(nic: PropertyValues): string[] {
  if (nic.bridge === undefined) return [];
  const path = `/sdn/zones/localnetwork/${nic.bridge}`;
  const tags = [...(nic.tag === undefined ? [] : [nic.tag]), ...(nic.trunks?.split(";") ?? [])];
  return tags.length === 0 ? [path] : tags.map((tag) => `${path}/${tag}`);
}
