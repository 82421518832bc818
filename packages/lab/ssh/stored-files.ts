import { posix } from "node:path";
import { SimulatedError } from "../proxmox/refusal.ts";
import type { StorageDefinition, Volume } from "../proxmox/state.ts";
import { kindOf } from "../proxmox/storage/kinds.ts";
import { isActive, pathIn, usageOf, volumeNameAt, volumePath, volumesOn } from "../proxmox/storage/storages.ts";
import { parseVolumeName, type VolumeName } from "../proxmox/storage/volume-id.ts";
import { addVolume, contentOf, keepContent, removeVolume } from "../proxmox/storage/volumes.ts";
import type { RootView } from "./state.ts";

/** Volumes of storages that are files: what root puts into their folders is what the API lists, and the other way round. */
function storagesOf({ proxmox, name }: RootView): StorageDefinition[] {
  return proxmox.storages.filter((storage) => kindOf(storage).files && isActive(storage, name));
}

function volumeAt(view: RootView, path: string): Volume | undefined {
  const { proxmox, name } = view;
  for (const storage of storagesOf(view)) {
    const found = volumesOn(proxmox, storage, name).find((volume) => volumePath(storage, volume) === path);
    if (found) return found;
  }
  return undefined;
}

/** A disk that nothing was written to reads as nothing: the lab keeps no zeroes. */
export function storedBytes(view: RootView, path: string): Buffer | undefined {
  const volume = volumeAt(view, path);
  return volume && (contentOf(view.proxmox, volume) ?? Buffer.alloc(0));
}

/** Where a file would be a volume; undefined where it would be any file. */
function placeAt(view: RootView, path: string): { storage: StorageDefinition; name: string; parsed: VolumeName } | undefined {
  for (const storage of storagesOf(view)) {
    const name = volumeNameAt(storage, path);
    if (name === undefined) continue;
    try {
      return { storage, name, parsed: parseVolumeName(storage, name) };
    } catch (error) {
      if (!(error instanceof SimulatedError)) throw error;
    }
  }
  return undefined;
}

export function roomAt(view: RootView, path: string): number | undefined {
  const place = placeAt(view, path);
  return place && usageOf(view.proxmox, place.storage, view.name).avail + (volumeAt(view, path)?.used ?? 0);
}

/** False where it is no volume. */
export function storeBytes(view: RootView, path: string, bytes: Buffer): boolean {
  const place = placeAt(view, path);
  if (!place) return false;
  const { content, format, vmid } = place.parsed;
  addVolume(view.lab, place.storage, view.name, {
    ...{ name: place.name, content, format, size: bytes.length, written: bytes.length },
    ...(vmid !== undefined && { vmid }),
    sha256: keepContent(view.proxmox, bytes),
  });
  return true;
}

export function removeStored(view: RootView, path: string): boolean {
  const volume = volumeAt(view, path);
  if (volume) removeVolume(view.proxmox, volume);
  return volume !== undefined;
}

export function storedPaths(view: RootView): string[] {
  const { proxmox, name } = view;
  return storagesOf(view).flatMap((storage) => volumesOn(proxmox, storage, name).map((volume) => volumePath(storage, volume)));
}

/** Proxmox makes a folder for each kind of content a storage may hold. */
export function storedFolders(view: RootView): string[] {
  return storagesOf(view).flatMap((storage) => storage.content.map((content) => posix.dirname(pathIn(storage, content, "x"))));
}
