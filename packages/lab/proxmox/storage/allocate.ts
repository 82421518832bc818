import type { Lab } from "../../kernel/kernel.ts";
import { died, type SimulatedError } from "../refusal.ts";
import { proxmoxState, type StorageDefinition, type Volume } from "../state.ts";
import { isThick, kindOf } from "./kinds.ts";
import { pathIn, usageOf, volumesOn } from "./storages.ts";
import { addVolume, freeDiskName, imageName, roundedSize } from "./volumes.ts";

/** An image to be created. */
export interface Allocation {
  vmid: number;
  bytes: number;
  /** The storage's default format when absent. */
  format?: string;
  /** The last part of its name; a free one when absent. */
  name?: string;
  /** Bytes written at creation: initial EFI variables or cloud-init data. */
  written?: number;
}

/** Creates an image as `vdisk_alloc` does, with each plugin's own error messages. The caller holds the storage's lock. */
export function allocateImage(lab: Lab, storage: StorageDefinition, node: string, asked: Allocation): Volume {
  const state = proxmoxState(lab);
  const kind = kindOf(storage);
  const format = asked.format ?? (kind.formats[0] as string);
  const { vmid } = asked;
  if (!kind.files) requireBlockFormat(storage, format);
  if (asked.name !== undefined) requireName(storage, vmid, asked.name, format);
  const name =
    asked.name === undefined
      ? freeDiskName(state, storage, node, vmid, format)
      : kind.files
        ? `${vmid}/${asked.name}`
        : asked.name;
  const last = name.split("/").at(-1) as string;
  const taken = (volume: Volume) => volume.vmid === vmid && volume.name.split("/").at(-1) === last;
  if (volumesOn(state, storage, node).some(taken)) throw alreadyThere(storage, name);
  const size = roundedSize(storage, asked.bytes);
  const written = isThick(storage) ? size : (asked.written ?? 0);
  const { avail } = usageOf(state, storage, node);
  if (written > avail || (storage.type === "lvmthin" && avail === 0)) throw noRoom(storage, name, avail, size);
  return addVolume(lab, storage, node, { name, content: "images", format, size, written, vmid });
}

/** Perl adds its source location to messages without a line break. */
const PLACES: Partial<Record<StorageDefinition["type"], string>> = {
  lvm: "LVMPlugin.pm line 696",
  lvmthin: "LvmThinPlugin.pm line 102",
  zfspool: "ZFSPoolPlugin.pm line 292",
};

function requireBlockFormat(storage: StorageDefinition, format: string): void {
  const place = PLACES[storage.type];
  if (format !== "raw" && place !== undefined)
    throw died(`unsupported format '${format}' at /usr/share/perl5/PVE/Storage/${place}.`);
}

function requireName(storage: StorageDefinition, vmid: number, name: string, format: string): void {
  if (!kindOf(storage).files) {
    if (!name.startsWith(`vm-${vmid}-`)) throw died(`illegal name '${name}' - should be 'vm-${vmid}-*'`);
    if (/\s|\//.test(name)) throw died(`unable to parse ${kindOf(storage).label} volume name '${name}'`);
    return;
  }
  const suffix = /^[^/\s]+\.(raw|qcow2|vmdk|subvol)$/.exec(name)?.[1];
  if (suffix === undefined) throw died(`unable to parse volume filename '${name}'`);
  if (suffix !== format) throw died(`illegal name '${name}' - wrong extension for format ('${suffix} != '${format}')`);
}

function alreadyThere(storage: StorageDefinition, name: string): SimulatedError {
  switch (storage.type) {
    case "lvm":
    case "lvmthin": {
      const group = storage.vgname;
      return died(`lvcreate '${group}/${name}' error:   Logical Volume "${name}" already exists in volume group "${group}"`);
    }
    case "zfspool":
      return died(`zfs error: cannot create '${storage.pool}/${name}': dataset already exists`);
    case "rbd":
      return died(`rbd create '${name}' error: rbd: create error: (17) File exists`);
    default:
      return died(`disk image '${pathIn(storage, "images", name)}' already exists`);
  }
}

function noRoom(storage: StorageDefinition, name: string, avail: number, size: number): SimulatedError {
  if (storage.type === "zfspool") return died(`zfs error: cannot create '${storage.pool}/${name}': out of space`);
  if (storage.type === "lvmthin") {
    const pool = `${storage.vgname}/${storage.thinpool}`;
    const why = `Cannot create new thin volume, free space in thin pool ${pool} reached threshold.`;
    return died(`lvcreate '${storage.vgname}/${name}' error:   ${why}`);
  }
  if (storage.type === "lvm") return died(`not enough free space (${Math.floor(avail / 1024)} < ${size / 1024})`);
  return died(`unable to write to '${pathIn(storage, "images", name)}' - No space left on device`);
}

/** Name and format of a cloud-init drive's volume: qcow2 by default on file storages. */
export function cloudInitImage(storage: StorageDefinition, vmid: number, format?: string): { name: string; format: string } {
  const chosen = format ?? (kindOf(storage).files ? "qcow2" : "raw");
  const name = imageName(storage, vmid, `vm-${vmid}-cloudinit`, chosen).split("/").at(-1) as string;
  return { name, format: chosen };
}
