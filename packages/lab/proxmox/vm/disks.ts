import type { Lab } from "../../kernel/kernel.ts";
import { printSize } from "../parameters/sizes.ts";
import type { ProxmoxState, Vm, Volume } from "../state.ts";
import { storageNamed } from "../storage/storages.ts";
import { findVolume, parseVolumeId, parseVolumeName } from "../storage/volume-id.ts";
import { removeVolume } from "../storage/volumes.ts";
import { allocation, type Drive, isCdrom, isCloudInit, isDriveKey, parseDrive, printDrive } from "./drive.ts";

/** The volume of a drive; undefined for an empty one, a path, or a missing volume. */
export function volumeOf(state: ProxmoxState, node: string, drive: Drive): Volume | undefined {
  const id = parseVolumeId(drive.file);
  if (!id || allocation(drive) || !state.storages.some((storage) => storage.id === id.storage)) return undefined;
  return findVolume(state, node, id);
}

/** Every drive in a config, by key; `unusedN` are recognized by their key. */
export function drivesOf(config: Readonly<Record<string, string>>): { key: string; drive: Drive }[] {
  return Object.keys(config)
    .filter((key) => isDriveKey(key) || /^unused\d+$/.test(key))
    .sort()
    .map((key) => ({ key, drive: parseDrive(key, config[key] as string) }));
}

/** The drive's volume if the machine owns it: not a CD, nor a disk with another id. */
export function ownedVolume(state: ProxmoxState, vm: Vm, drive: Drive): Volume | undefined {
  if (isCdrom(drive) && !isCloudInit(drive)) return undefined;
  const volume = volumeOf(state, vm.node, drive);
  return volume?.vmid === vm.vmid ? volume : undefined;
}

/** Keeps a detached disk as unusedN until it is deleted; a cloud-init drive is removed. */
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

/** Removes the unusedN entry of a disk that is attached again. */
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

/** The drive as stored: `size` is the volume's; `format` and `import-from` are removed. */
export function printAttached(key: string, drive: Drive, volume: Volume | undefined): string {
  const { format: _, "import-from": __, size: ___, ...rest } = drive;
  return printDrive(key, { ...rest, ...(volume && { size: printSize(volume.size) }) });
}

/** The content type of a drive's volume: it determines the privileges and `media=cdrom`. */
export function volumeContent(state: ProxmoxState, file: string): string | undefined {
  const id = parseVolumeId(file);
  return id ? parseVolumeName(storageNamed(state, id.storage), id.name).content : undefined;
}

/** The transition that copies guest data with a disk: {from, to}, serials of volumes; handled by the guests' service, if any. */
const DISK_COPIED = "disk.copied";

export function tellCopied({ lab }: { lab: Lab }, from: number, to: number): void {
  if (lab.handles(DISK_COPIED)) lab.schedule(DISK_COPIED, 0, { from, to });
}
