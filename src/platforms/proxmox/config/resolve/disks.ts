import type { Redactor } from "@talosmith/lib/secret.ts";
import type { VolumeConfig } from "../../../../config/config.ts";
import { keyOf } from "../../../../config/resolve/encryption-key.ts";
import { defined, mib, sure } from "../../../../config/resolve/values.ts";
import type { DataDisk, DiskFlags } from "../config-on-proxmox.ts";
import { DEFAULT_STORAGE } from "../defaults.ts";
import { diskName, serialOf, wwnOf } from "../disk-names.ts";
import type { ProxmoxFacts, ProxmoxPool } from "../draft.ts";

type Disk = NonNullable<NonNullable<ProxmoxPool["settings"]["disks"]>[number]>;
type Flags = NonNullable<ProxmoxPool["settings"]["diskFlags"]>;

export function storageOf({ draft }: ProxmoxFacts, { settings }: ProxmoxPool): string {
  const own = typeof settings.storage === "string" ? settings.storage : settings.storage?.disks;
  return own ?? draft.proxmox?.storage?.disks ?? DEFAULT_STORAGE.disks;
}

export function diskFlagsOf({ settings }: ProxmoxPool, own: Flags = {}): DiskFlags {
  const { discard, ssd, iothread, cache, backup } = { ...defined(settings.diskFlags ?? {}), ...defined(own) };
  return {
    discard: discard ?? true,
    ssd: ssd ?? settings.controller !== "virtio",
    iothread: iothread ?? false,
    ...defined({ cache }),
    backup: backup ?? true,
  };
}

export function dataDisksOf(facts: ProxmoxFacts, pool: ProxmoxPool): DataDisk[] {
  return (pool.settings.disks ?? []).map((written, index) => {
    const disk = sure(written);
    return {
      name: diskName(disk, index),
      ...identityOf(pool, disk, index),
      size: mib(sure(disk.size)) / 1024,
      storage: disk.storage ?? storageOf(facts, pool),
      flags: diskFlagsOf(pool, disk.flags),
      keep: disk.keep ?? false,
    };
  });
}

/** The volumes that take a data disk each. */
export function diskVolumesOf(pool: ProxmoxPool, redactor: Redactor): VolumeConfig[] {
  return (pool.settings.disks ?? []).flatMap((disk, index): VolumeConfig[] => {
    if (disk?.volume === undefined) return [];
    return [
      {
        name: disk.volume,
        kind: disk.raw ? "raw" : "user",
        disk: { attached: identityOf(pool, disk, index) },
        grow: true,
        filesystem: disk.filesystem ?? "xfs",
        ...(disk.encryption !== undefined && { encryption: keyOf(disk.encryption, redactor) }),
      },
    ];
  });
}

/** What tells the disk from others inside of the machine. */
function identityOf({ settings }: ProxmoxPool, disk: Disk, index: number): Pick<DataDisk, "serial" | "wwn"> {
  const serial = serialOf(diskName(disk, index));
  return { serial, ...(settings.controller !== "virtio" && { wwn: wwnOf(serial) }) };
}

/**
 * What Linux calls the disk that a machine made here boots from. Letters go to whichever disk is found first, so an installation beside other disks, whose
 * data it would overwrite, names the drive itself.
 */
export function firstDisk({ settings }: ProxmoxPool, installs: boolean): string {
  const { controller, disks = [] } = settings;
  if (controller === "virtio") return "/dev/vda";
  return installs && disks.length > 0 ? "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_drive-scsi0" : "/dev/sda";
}
