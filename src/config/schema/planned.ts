import * as z from "zod";
import { checked, later, leaves } from "./value.ts";
import * as words from "./words.ts";

/**
 * The keys that are known and not built yet, by the section they belong to. Their shapes are checked, so that a file written today does not
 * surprise anybody later. To build one, move its line into the section's file, without `later`.
 */

const word = z.string();
const flag = z.boolean();
const number = z.int();
const anything = z.record(z.string(), z.unknown());
const size = checked(z.string(), words.size).register(leaves, {
  example: "8GiB",
  typeHint: "write a number and a unit, such as 8GiB",
  numberSays: "has no unit",
});
const pciAddress = checked(z.string(), words.pciAddress);
const oneOf = <W extends string>(...of: [W, ...W[]]) => z.enum(of);
const described = <S extends z.ZodType>(schema: S, about: string) => schema.optional().meta({ description: about });

const pci = z.union([
  pciAddress,
  z.strictObject({
    mapping: described(word, "Resource mapping of the device in Proxmox."),
    address: described(pciAddress, "Address of the device, when there is no mapping."),
    gpu: described(oneOf("nvidia", "intel", "amd"), "Whose GPU it is."),
  }),
]);
const usb = z.union([
  word,
  z.strictObject({
    mapping: described(word, "Resource mapping of the device in Proxmox."),
    id: described(word, "Vendor and product of the device."),
  }),
]);
const dataDisk = z.strictObject({
  size: size.meta({ description: "Size of the disk." }),
  storage: described(word, "Storage it is on."),
  volume: described(word, "Name of the Talos volume on it."),
  raw: described(flag, "Whether it is left without a file system."),
  mount: described(word, "Where it is mounted."),
  keep: described(flag, "Whether it outlives the machine."),
});
const diskFlags = z.strictObject({
  discard: described(flag, "Whether freed blocks are given back."),
  ssd: described(flag, "Whether it looks like an SSD."),
  iothread: described(flag, "Whether it has a thread of its own."),
  cache: described(oneOf("none", "writethrough", "writeback", "unsafe", "directsync"), "Cache mode."),
  backup: described(flag, "Whether Proxmox's backups include it."),
});
const startup = z.strictObject({
  order: described(number, "Place in the order."),
  up: described(number, "Seconds to wait after starting it."),
  down: described(number, "Seconds to wait for it to stop."),
});
const ssh = z.strictObject({
  host: described(word, "Where to log in."),
  port: described(number, "Port."),
  user: described(word, "Who to log in as."),
  key: described(word, "File with the private key."),
  hostKey: described(word, "The host's public key."),
});

const REMOVE = "remove it: it comes in a later version";
const kubectl = (verb: string) => `remove it, and use kubectl ${verb} once the cluster is up`;
const INSTALL = "remove it, and install into the cluster once it is up";

export const planned = {
  image: {
    clone: later(oneOf("full", "linked"), "How templates are cloned.", "remove it: clones are full"),
    overlay: later(anything, "Board overlay.", REMOVE),
  },
  addons: {
    flux: later(anything, "Flux: repository, path and key.", INSTALL),
    argocd: later(anything, "Argo CD: version, repository and values.", INSTALL),
    charts: later(z.array(anything), "Helm charts.", INSTALL),
    manifests: later(z.array(z.union([word, anything])), "Manifests by address or inline, before the charts.", INSTALL),
    secrets: later(z.array(anything), "Secrets planted before GitOps starts, by reference only.", kubectl("create secret")),
  },
  proxmox: {
    pool: later(word, "Resource pool for the machines.", REMOVE),
    ssh: later(ssh, "Root access for what the API cannot do.", REMOVE),
  },
  settings: {
    pci: later(z.array(pci), "PCI devices passed to the machine, by mapping or address.", REMOVE),
    usb: later(z.array(usb), "USB devices passed to the machine.", REMOVE),
    disks: later(z.array(dataDisk), "Data disks beside the system disk.", "remove it; disk sets the system disk's size"),
    diskFlags: later(diskFlags, "Flags of the system disk.", REMOVE),
    controller: later(
      oneOf("virtio-scsi-pci", "virtio-scsi-single", "virtio"),
      "Disk controller.",
      "remove it: virtio-scsi-pci is used, which Talos recommends",
    ),
    machine: later(word, "Machine type.", REMOVE),
    firmware: later(oneOf("ovmf", "seabios"), "Firmware.", REMOVE),
    tpm: later(flag, "Whether there is a TPM.", REMOVE),
    balloon: later(z.union([flag, size]), "Memory the host may take back down to.", "remove it: ballooning is off"),
    hugepages: later(z.union([flag, word, number]), "Huge pages behind the memory.", REMOVE),
    numa: later(flag, "Whether NUMA is shown.", REMOVE),
    sockets: later(number, "Processor sockets.", "remove it, and put all cores into cores"),
    affinity: later(word, "Host cores to run on.", REMOVE),
    cpuUnits: later(number, "Weight against other machines of the host.", REMOVE),
    serial: later(flag, "Whether there is a serial console.", REMOVE),
    display: later(word, "Graphics card.", REMOVE),
    agent: later(flag, "Whether the guest agent is used.", "remove it: nothing here waits for the agent"),
    startup: later(startup, "Order in which machines start with their host.", REMOVE),
    pool: later(word, "Resource pool for the machine.", REMOVE),
    protection: later(flag, "Whether Proxmox protects the machine from removal.", REMOVE),
    description: later(word, "Notes on the machine in Proxmox.", REMOVE),
  },
  /** Of a network card on Proxmox. */
  nic: {
    bridge: later(word, "Bridge it is plugged into.", REMOVE),
    vlan: later(number, "VLAN the bridge tags its packets with.", REMOVE),
    queues: later(number, "Number of queues.", REMOVE),
    firewall: later(flag, "Whether Proxmox's firewall filters it.", REMOVE),
  },
  node: {
    platform: later(
      oneOf("proxmox", "vps", "oci", "metal"),
      "Platform of this node, when it differs.",
      "remove it: every node is on the file's platform",
    ),
    create: later(
      flag,
      "Whether the machine is made here; false for one that exists.",
      "remove it; take the whole entry out for a node that should not be made",
    ),
  },
};
