import { createHash } from "node:crypto";
import type { Lab } from "../../kernel/kernel.ts";
import { died } from "../refusal.ts";
import { type ProxmoxState, proxmoxState, type StorageDefinition, seconds, type Volume } from "../state.ts";
import { kindOf } from "./kinds.ts";
import { placeOf, storageNamed, usageOf, volumePath, volumesOn } from "./storages.ts";

/** Rounds a size up: LVM allocates whole extents, ZFS and Ceph whole mebibytes; files are exact (docs/facts/proxmox.md#volume-sizes). */
export function roundedSize(storage: StorageDefinition, bytes: number): number {
  const { unit } = kindOf(storage);
  return Math.ceil(bytes / unit) * unit;
}

/** The first number that no disk of this machine on the storage has; bases count. Files of another format do not, where only images can be. */
export function freeDiskName(
  state: ProxmoxState,
  storage: StorageDefinition,
  node: string,
  vmid: number,
  format: string,
): string {
  const { files, formats } = kindOf(storage);
  const suffix = files && !formats.includes("subvol") ? `\\.${format}$` : "(?:\\.|$)";
  const disk = new RegExp(`(?:^|/)(?:vm|base)-${vmid}-disk-(\\d+)${suffix}`);
  const taken = new Set(
    volumesOn(state, storage, node)
      .filter((volume) => volume.vmid === vmid)
      .map((volume) => disk.exec(`/${volume.name.split("/").at(-1)}`)?.[1]),
  );
  let n = 0;
  while (taken.has(String(n))) n++;
  return imageName(storage, vmid, `vm-${vmid}-disk-${n}`, format);
}

export function imageName(storage: StorageDefinition, vmid: number, name: string, format: string): string {
  return kindOf(storage).files ? `${vmid}/${name}.${format}` : name;
}

export interface NewVolume extends Omit<Volume, "serial" | "node" | "storage" | "ctime" | "used"> {
  /** Bytes actually written; a new disk uses nothing yet. */
  written: number;
}

/** Creates a volume. The storage needs space only for the written bytes; virtual sizes may exceed it. */
export function addVolume(lab: Lab, storage: StorageDefinition, node: string, volume: NewVolume): Volume {
  const state = proxmoxState(lab);
  const { written, ...rest } = volume;
  const serial = lab.serial("proxmox volume");
  const added: Volume = { ...rest, serial, node: placeOf(storage, node), storage: storage.id, ctime: seconds(lab), used: 0 };
  const isSame = (old: Volume) => old.storage === added.storage && old.node === added.node && old.name === added.name;
  if (state.volumes.some(isSame)) state.volumes = state.volumes.filter((old) => !isSame(old));
  requireRoom(state, storage, node, written, added);
  added.used = written;
  state.volumes.push(added);
  forgetUnusedContents(state);
  return added;
}

/** The error of a program that cannot write a file. */
function requireRoom(state: ProxmoxState, storage: StorageDefinition, node: string, bytes: number, volume: Volume): void {
  const { avail } = usageOf(state, storage, node);
  if (bytes > avail) throw died(`unable to write '${volumePath(storage, volume)}' - No space left on device`);
}

export function removeVolume(state: ProxmoxState, gone: Volume): void {
  state.volumes = state.volumes.filter((volume) => volume !== gone);
  forgetUnusedContents(state);
}

/** Stores bytes once, however many volumes contain them. */
export function keepContent(state: ProxmoxState, bytes: Buffer): string {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  state.contents[sha256] = bytes.toString("base64");
  return sha256;
}

export function contentOf(state: ProxmoxState, volume: Volume): Buffer | undefined {
  const base64 = volume.sha256 === undefined ? undefined : state.contents[volume.sha256];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

function forgetUnusedContents(state: ProxmoxState): void {
  const used = new Set(state.volumes.map((volume) => volume.sha256));
  for (const sha256 of Object.keys(state.contents)) if (!used.has(sha256)) delete state.contents[sha256];
}

/** Whether other volumes name this one as their base: names in LVM-thin do not show who shares blocks. */
export function isBaseInUse(state: ProxmoxState, volume: Volume): boolean {
  if (!kindOf(storageNamed(state, volume.storage)).namesBase) return false;
  return state.volumes.some(
    (other) => other.parent === volume.name && other.storage === volume.storage && other.node === volume.node,
  );
}
