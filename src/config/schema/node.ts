import * as z from "zod";
import * as address from "./ip-words.ts";
import { dataDiskSettings } from "./machine-disks.ts";
import { oneOrTwo } from "./network.ts";
import { deviceSettings } from "./node-devices.ts";
import { diskSettings } from "./node-disks.ts";
import { kubernetesSettings } from "./node-kubernetes.ts";
import { machineSettings } from "./node-machine.ts";
import { networkSettings } from "./node-network.ts";
import { serverKeys, serverSettings } from "./node-server.ts";
import { systemSettings } from "./node-system.ts";
import { planned } from "./planned.ts";
import { bridge, host, storage } from "./proxmox-names.ts";
import { size } from "./size.ts";
import { choice, leaves, list, oneOrMore, section, text, whole } from "./value.ts";
import * as words from "./words.ts";

/** What can be said for one node and, under defaults, for many. */
const settings = {
  host: host("Proxmox host this node must be on; must be one of proxmox.hosts.").optional(),
  cores: whole({
    about: "Processor cores. By default 4 for control planes, 2 for workers.",
    example: "4",
    from: 1,
    to: 512,
  }).optional(),
  memory: size("Memory. By default 4GiB for control planes, 2GiB for workers.", "8GiB", words.size),
  disk: size("System disk. By default 20GiB.", "40GiB", words.wholeGiB),
  ...machineSettings,
  tags: list(text({ about: "A tag.", example: "talos", pattern: words.TAG, check: words.tag }), {
    about: "Tags of the machine in Proxmox.",
    example: "[talos]",
    byDefault: [],
  }).optional(),
  bridge: bridge("Bridge for this node instead of proxmox.bridge.").optional(),
  vlan: whole({
    about: "VLAN of the node: on Proxmox the bridge tags its packets, elsewhere the node itself does.",
    example: "10",
    from: 1,
    to: 4094,
  }).optional(),
  storage: z
    .union([
      storage("Storage for this node's disks."),
      section("Storage for this node.", { disks: storage("Storage for this node's disks.") }),
    ])
    .meta({ description: "Storage for this node's disks instead of proxmox.storage.disks." })
    .register(leaves, { example: "local-lvm", typeHint: "write the storage's name, such as local-lvm" })
    .optional(),
  ...dataDiskSettings,
  ...deviceSettings,
  ...diskSettings,
  ...networkSettings,
  ...serverSettings,
  ...kubernetesSettings,
  ...systemSettings,
};

export const defaults = section("Settings for many nodes. A node's own keys win over its role's, and these over all.", {
  all: section("For every node.", settings).optional(),
  controlplane: section("For control planes.", settings).optional(),
  worker: section("For workers.", settings).optional(),
});

export const node = section("A node, or with count a pool of equal ones.", {
  name: text({
    about: "Name of the node; with count the beginning of the names: cp becomes cp-1, cp-2, …",
    example: "cp",
    pattern: words.NAME,
    check: words.name,
  }),
  role: choice({ about: "What the node is in the cluster.", of: ["controlplane", "worker"] }),
  count: whole({
    about: "How many equal nodes. When present, names end in a number, also with 1.",
    example: "3",
    from: 1,
    to: 1000,
  }).optional(),
  ip: oneOrMore(text({ about: "An address.", example: "10.10.0.11", check: address.nodeAddress }), {
    about:
      "Address of the node, with two networks a list of two in their order; with count of the first one, the others follow. On vps it may have its prefix length, such as 203.0.113.11/32.",
    example: "10.10.0.11",
    check: oneOrTwo,
  }),
  vmid: whole({
    about: "Proxmox id of the machine; with count of the first one, the others follow. By default derived.",
    example: "1011",
    from: 100,
    to: 999_999_999,
  }).optional(),
  mac: text({
    about:
      "MAC address of the network card. By default derived; on metal, without it, the node keeps the address its own network gives it.",
    example: '"BC:24:11:00:00:11"',
    pattern: words.MAC,
    check: words.mac,
  }).optional(),
  ...serverKeys,
  ...settings,
  ...planned.node,
});
