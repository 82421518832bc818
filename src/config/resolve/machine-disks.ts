import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Facts } from "../checks/facts.ts";
import type { DataDisk, DiskFlags, VolumeConfig } from "../config.ts";
import { DEFAULT_STORAGE } from "../defaults.ts";
import { diskName, serialOf, wwnOf } from "../disk-names.ts";
import type { Pool } from "../pools.ts";
import { keyOf } from "./encryption-key.ts";
import { defined, mib, sure } from "./values.ts";

type Disk = NonNullable<NonNullable<Pool["settings"]["disks"]>[number]>;
type Flags = NonNullable<Pool["settings"]["diskFlags"]>;

export function storageOf({ draft }: Facts, { settings }: Pool): string {
  const own = typeof settings.storage === "string" ? settings.storage : settings.storage?.disks;
  return own ?? draft.proxmox?.storage?.disks ?? DEFAULT_STORAGE.disks;
}

export function diskFlagsOf({ settings }: Pool, own: Flags = {}): DiskFlags {
  const { discard, ssd, iothread, cache, backup } = { ...defined(settings.diskFlags ?? {}), ...defined(own) };
  return {
    discard: discard ?? true,
    ssd: ssd ?? settings.controller !== "virtio",
    iothread: iothread ?? false,
    ...defined({ cache }),
    backup: backup ?? true,
  };
}

export function dataDisksOf(facts: Facts, pool: Pool): DataDisk[] {
  return (pool.settings.disks ?? []).map((written, index) => {
    const disk = sure(written);
    return {
      name: diskName(disk, index),
      ...identityOf(pool, disk, index),
      sizeGiB: mib(sure(disk.size)) / 1024,
      storage: disk.storage ?? storageOf(facts, pool),
      flags: diskFlagsOf(pool, disk.flags),
      keep: disk.keep ?? false,
    };
  });
}

/** The volumes that take a data disk each. */
export function diskVolumesOf(pool: Pool, redactor: Redactor): VolumeConfig[] {
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
function identityOf({ settings }: Pool, disk: Disk, index: number): Pick<DataDisk, "serial" | "wwn"> {
  const serial = serialOf(diskName(disk, index));
  return { serial, ...(settings.controller !== "virtio" && { wwn: wwnOf(serial) }) };
}
