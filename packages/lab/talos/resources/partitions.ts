import { type Called, configOf } from "../api/caller.ts";
import { derivedUuid } from "../identity.ts";
import { type Disk, talosState } from "../state.ts";

const MiB = 1024 ** 2;

/** A partition of the system disk. */
export interface Partition {
  /** Id of its volume: "STATE", "u-models". */
  id: string;
  index: number;
  /** Its label in the partition table. */
  label: string;
  size: number;
  /** Empty for none. */
  filesystem: string;
  uuid: string;
  partitionUuid: string;
  encrypted: boolean;
  keys: readonly string[];
  /** Absent for partitions that exist before Talos runs. */
  volume?: "system" | "user";
  mount?: { targetPath: string; selinuxLabel: string; projectQuotaSupport?: boolean };
}

export function systemDisk({ machine, boot }: Called): Disk | undefined {
  return machine.hardware.disks.find((disk) => disk.name !== undefined && disk.name === boot.disk);
}

/** The partitions of the system disk: EFI and META come with the image; STATE and EPHEMERAL are created at the first boot with a config. */
export function partitionsOf(called: Called, disk: Disk): Partition[] {
  const configured = configOf(called) !== undefined || talosState(called.lab).disks[disk.name ?? ""]?.config !== undefined;
  const image = [
    part(called, disk, 1, "EFI", 2000 * MiB, { filesystem: "vfat" }),
    part(called, disk, 2, "META", MiB, { volume: "system" }),
  ];
  const more = configVolume(called, disk);
  if (!configured) return [...image, ...more];
  const state = part(called, disk, 3, "STATE", 100 * MiB, {
    filesystem: "xfs",
    volume: "system",
    ...encryptionOf(called, "STATE"),
    mount: { targetPath: "/system/state", selinuxLabel: "system_u:object_r:system_state_t:s0" },
  });
  const used = [...image, state, ...more].reduce((sum, { size }) => sum + size, 2 * MiB);
  const left = Math.max(0, Math.floor((disk.size - used) / MiB) * MiB);
  const ephemeral = part(called, disk, 4, "EPHEMERAL", left, {
    filesystem: "xfs",
    volume: "system",
    ...encryptionOf(called, "EPHEMERAL"),
    mount: { targetPath: "/var", selinuxLabel: "system_u:object_r:ephemeral_t:s0", projectQuotaSupport: true },
  });
  return [...image, state, ephemeral, ...more];
}

/** The config partition at the end of the disk, after those of Talos. */
function configVolume(called: Called, disk: Disk): Partition[] {
  const volume = talosState(called.lab).disks[disk.name ?? ""]?.configVolume;
  return volume === undefined ? [] : [part(called, disk, volume.index, "metal-iso", volume.bytes, { filesystem: "iso9660" })];
}

function part(called: Called, disk: Disk, index: number, label: string, size: number, more: Partial<Partition>): Partition {
  const of = [disk.name ?? disk.device, label] as const;
  return {
    id: label,
    index,
    label,
    size,
    filesystem: "",
    uuid: derivedUuid(called.lab, "filesystem", ...of),
    partitionUuid: derivedUuid(called.lab, "partition", ...of),
    encrypted: false,
    keys: [],
    ...more,
  };
}

/** The encryption of a system volume, from its VolumeConfig document. */
function encryptionOf(called: Called, name: string): { encrypted: boolean; keys: readonly string[] } {
  const document = configOf(called)?.documents.find((one) => one.kind === "VolumeConfig" && one.name === name);
  const encryption = document?.fields.encryption as { keys?: readonly Record<string, unknown>[] } | undefined;
  const keys = (encryption?.keys ?? []).flatMap((key) => Object.keys(key).filter((word) => word in KEYS));
  return { encrypted: keys.length > 0, keys: keys.map((word) => KEYS[word] ?? word) };
}

/** Talos's names of key types. */
const KEYS: Record<string, string> = { static: "static", nodeID: "nodeID", kms: "kms", tpm: "tpm" };
