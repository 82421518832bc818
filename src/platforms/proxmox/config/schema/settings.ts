import * as z from "zod";
import { size } from "../../../../config/schema/size.ts";
import { leaves, list, section, text, type Wrong, whole } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";
import { deviceSettings } from "./devices.ts";
import { dataDiskSettings } from "./disks.ts";
import { machineSettings } from "./machine.ts";
import { bridge, host, storage } from "./names.ts";

/** Proxmox would store capitals in lower case, and they would differ from the file for ever (docs/facts/proxmox.md#tags). */
const TAG = /^[a-z0-9_][a-z0-9_.+-]*$/;

function tag(value: string): Wrong | undefined {
  if (TAG.test(value)) return undefined;
  return { says: "is not a valid tag", hint: "use lower-case letters, digits and _ - + . (not - + . at the start)" };
}

/** Settings of nodes that are virtual machines. */
export const settings = {
  host: host("Proxmox host this node must be on; must be one of proxmox.hosts.").optional(),
  cores: whole({
    about: "CPU cores. By default 4 for control planes, 2 for workers.",
    example: "4",
    from: 1,
    to: 512,
  }).optional(),
  memory: size("Memory. By default 4GiB for control planes, 2GiB for workers.", "8GiB", words.size),
  disk: size("System disk. By default 20GiB.", "40GiB", words.wholeGiB),
  ...machineSettings,
  tags: list(text({ about: "A tag.", example: "talos", pattern: TAG, check: tag }), {
    about: "Tags of the machine in Proxmox.",
    example: "[talos]",
    byDefault: [],
  }).optional(),
  bridge: bridge("Bridge for this node instead of proxmox.bridge.").optional(),
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
};

/** Keys of an entry of nodes. */
export const node = {
  vmid: whole({
    about: "Proxmox VM id of the machine; with count that of the first machine, the others count up. By default derived.",
    example: "1011",
    from: 100,
    to: 999_999_999,
  }).optional(),
};
