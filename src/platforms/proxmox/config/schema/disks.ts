import * as z from "zod";
import { encryptionKey } from "../../../../config/schema/encryption-key.ts";
import { sizeText } from "../../../../config/schema/size.ts";
import { checked, choice, flag, later, list, section, text } from "../../../../config/schema/value.ts";
import { filesystem, VOLUME_NAME, volumeName } from "../../../../config/schema/volume-name.ts";
import * as words from "../../../../config/schema/words.ts";
import { storage } from "./names.ts";

const DISK_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]{0,32}[A-Za-z0-9])?$/;

const flags = (about: string) =>
  checked(
    section(about, {
      discard: flag({ about: "Whether blocks the machine frees are given back.", byDefault: true }).optional(),
      ssd: flag({ about: "Whether it looks like an SSD. By default true, except with controller virtio." }).optional(),
      iothread: flag({
        about: "Whether it has a thread of its own; for controller virtio-scsi-single or virtio.",
        byDefault: false,
      }).optional(),
      cache: choice({
        about: "How writes are cached. By default Proxmox's own, none.",
        of: ["none", "writethrough", "writeback", "unsafe", "directsync"],
      }).optional(),
      backup: flag({ about: "Whether Proxmox's backups include it.", byDefault: true }).optional(),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "says nothing", hint: "add a flag, or remove it" } : undefined),
  );

const disk = section("A disk.", {
  size: sizeText("Its size; it can grow later, never shrink.", "500GiB", words.wholeGiB),
  storage: storage("Storage it is on. By default the one of the node's system disk.").optional(),
  volume: text({
    about: "Talos volume that takes the whole disk, mounted at /var/mnt/NAME. Without it the disk is left to a workload.",
    example: "data",
    pattern: VOLUME_NAME,
    check: volumeName,
  }).optional(),
  raw: flag({ about: "Whether the volume has no file system, and so no mount.", byDefault: false }).optional(),
  filesystem,
  encryption: encryptionKey("What the volume is encrypted with:"),
  name: text({
    about: "Name of the disk, which becomes its serial number. By default the volume's, else disk-1, disk-2 ….",
    example: "ceph",
    pattern: DISK_NAME,
    check: words.named(DISK_NAME, "a disk", "data: at most 34 letters, digits and hyphens"),
  }).optional(),
  keep: flag({
    about: "Whether it outlives the machine: removing or replacing the machine leaves it, and the next one gets it back.",
    byDefault: false,
  }).optional(),
  flags: flags("Flags of this disk. By default those of diskFlags.").optional(),
  mount: later(z.string(), "Where it is mounted.", "remove it: a disk with volume: NAME is mounted at /var/mnt/NAME"),
});

/** Disks beside the system disk, and how all of them are attached. */
export const dataDiskSettings = {
  disks: list(disk, {
    about: "Disks beside the system disk.",
    example: "[{ size: 500GiB, volume: data, keep: true }]",
    byDefault: [],
  }).optional(),
  diskFlags: flags("How the machine's disks are attached.").optional(),
  controller: choice({
    about: "Disk controller. Talos has trouble with virtio-scsi-single.",
    of: ["virtio-scsi-pci", "virtio-scsi-single", "virtio"],
    byDefault: "virtio-scsi-pci",
  }).optional(),
};
