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
      discard: flag({
        about: "Whether blocks that the machine frees are released on the storage (discard).",
        byDefault: true,
      }).optional(),
      ssd: flag({ about: "Whether the machine sees an SSD. By default true, except with controller virtio." }).optional(),
      iothread: flag({
        about: "Whether the disk has its own I/O thread; for controller virtio-scsi-single or virtio.",
        byDefault: false,
      }).optional(),
      cache: choice({
        about: "Cache mode. By default none.",
        of: ["none", "writethrough", "writeback", "unsafe", "directsync"],
      }).optional(),
      backup: flag({ about: "Whether Proxmox's backups include the disk.", byDefault: true }).optional(),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "is empty", hint: "add a flag, or remove it" } : undefined),
  );

const disk = section("A disk.", {
  size: sizeText("Size of the disk. It can be increased later, but not reduced.", "500GiB", words.wholeGiB),
  storage: storage("Proxmox storage of the disk. By default that of the node's system disk.").optional(),
  volume: text({
    about: "Talos volume that uses the whole disk, mounted at /var/mnt/NAME. Without it, Talos leaves the disk to workloads.",
    example: "data",
    pattern: VOLUME_NAME,
    check: volumeName,
  }).optional(),
  raw: flag({ about: "Whether the volume has no file system and is not mounted.", byDefault: false }).optional(),
  filesystem,
  encryption: encryptionKey("Encryption of the volume:"),
  name: text({
    about: "Name of the disk, also its serial number. By default the volume's, else disk-1, disk-2 ….",
    example: "ceph",
    pattern: DISK_NAME,
    check: words.named(DISK_NAME, "a disk", "data: at most 34 letters, digits and hyphens"),
  }).optional(),
  keep: flag({
    about: "Whether the disk is kept when its machine is removed or replaced, and attached to the next machine of the node.",
    byDefault: false,
  }).optional(),
  flags: flags("Options of this disk. By default those of diskFlags.").optional(),
  mount: later(z.string(), "Where it is mounted.", "remove it: a disk with volume: NAME is mounted at /var/mnt/NAME"),
});

/** Disks beside the system disk, and how all of them are attached. */
export const dataDiskSettings = {
  disks: list(disk, {
    about: "Data disks, in addition to the system disk.",
    example: "[{ size: 500GiB, volume: data, keep: true }]",
    byDefault: [],
  }).optional(),
  diskFlags: flags("Options of all disks of the machine.").optional(),
  controller: choice({
    about: "Disk controller. Talos can hang with virtio-scsi-single.",
    of: ["virtio-scsi-pci", "virtio-scsi-single", "virtio"],
    byDefault: "virtio-scsi-pci",
  }).optional(),
};
