import type { Lab } from "../../kernel/kernel.ts";
import { printSize } from "../parameters/sizes.ts";
import type { ProxmoxState, Vm, Volume } from "../state.ts";
import { storageNamed } from "../storage/storages.ts";
import { findVolume, parseVolumeId, parseVolumeName } from "../storage/volume-id.ts";
import { removeVolume } from "../storage/volumes.ts";
import { allocation, type Drive, isCdrom, isCloudInit, isDriveKey, parseDrive, printDrive } from "./drive.ts";

/** The volume a drive holds; undefined for an empty one, a path, or a volume that is gone. */
export function volumeOf(state: ProxmoxState, node: string, drive: Drive): Volume | undefined {
  const id = parseVolumeId(drive.file);
  if (!id || allocation(drive) || !state.storages.some((storage) => storage.id === id.storage)) return undefined;
  return findVolume(state, node, id);
}

/** Every drive in a config, by key; `unusedN` are told apart by their key. */
export function drivesOf(config: Readonly<Record<string, string>>): { key: string; drive: Drive }[] {
  return Object.keys(config)
    .filter((key) => isDriveKey(key) || /^unused\d+$/.test(key))
    .sort()
    .map((key) => ({ key, drive: parseDrive(key, config[key] as string) }));
}

/** Belongs to the machine and goes with it: not a CD, not somebody else's disk. */
export function ownedVolume(state: ProxmoxState, vm: Vm, drive: Drive): Volume | undefined {
  if (isCdrom(drive) && !isCloudInit(drive)) return undefined;
  const volume = volumeOf(state, vm.node, drive);
  return volume?.vmid === vm.vmid ? volume : undefined;
}

/** A detached disk is kept as unusedN until somebody deletes it; a cloud-init drive is not worth keeping. */
export function detach(state: ProxmoxState, vm: Vm, drive: Drive): void {
  const volume = ownedVolume(state, vm, drive);
  if (!volume) return;
  if (isCloudInit(drive)) {
    removeVolume(state, volume);
    return;
  }
  const file = drive.file;
  if (drivesOf(vm.config).some(({ key, drive: other }) => key.startsWith("unused") && other.file === file)) return;
  let n = 0;
  while (vm.config[`unused${n}`] !== undefined) n++;
  vm.config[`unused${n}`] = file;
}

export function destroyVolume(state: ProxmoxState, vm: Vm, drive: Drive): void {
  const volume = ownedVolume(state, vm, drive);
  if (volume) removeVolume(state, volume);
}

/** What is attached again is unused no more. */
export function forgetUnused(vm: Vm, file: string): void {
  for (const { key, drive } of drivesOf(vm.config)) if (key.startsWith("unused") && drive.file === file) delete vm.config[key];
}

export function bootDiskSize(state: ProxmoxState, vm: Vm): number {
  const order = /order=([^,]*)/.exec(vm.config.boot ?? "")?.[1]?.split(";") ?? [];
  for (const key of order) {
    const value = isDriveKey(key) ? vm.config[key] : undefined;
    const drive = value === undefined ? undefined : parseDrive(key, value);
    if (drive && !isCdrom(drive)) return volumeOf(state, vm.node, drive)?.size ?? 0;
  }
  return 0;
}

/** As stored: `size` is what the volume has; `format` and `import-from` are gone. */
export function printAttached(key: string, drive: Drive, volume: Volume | undefined): string {
  const { format: _, "import-from": __, size: ___, ...rest } = drive;
  return printDrive(key, { ...rest, ...(volume && { size: printSize(volume.size) }) });
}

/** The kind of volume a drive names: what decides about privileges and `media=cdrom`. */
export function volumeContent(state: ProxmoxState, file: string): string | undefined {
  const id = parseVolumeId(file);
  return id ? parseVolumeName(storageNamed(state, id.storage), id.name).content : undefined;
}

/** What a guest wrote to a disk is copied with it, by whoever plays guests in this lab: {from, to}, serials of volumes. */
const DISK_COPIED = "disk.copied";

export function tellCopied({ lab }: { lab: Lab }, from: number, to: number): void {
  if (lab.handles(DISK_COPIED)) lab.schedule(DISK_COPIED, 0, { from, to });
}
