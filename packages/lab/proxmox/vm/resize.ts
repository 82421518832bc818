import { requirePrivileges } from "../access/permission.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock, STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { parseSize, printSize } from "../parameters/sizes.ts";
import { died, type SimulatedError } from "../refusal.ts";
import type { StorageDefinition, Vm, Volume } from "../state.ts";
import { isThick, kindOf } from "../storage/kinds.ts";
import { storageNamed, usageOf, volumePath } from "../storage/storages.ts";
import { roundedSize } from "../storage/volumes.ts";
import { requireDigest, requireUnlocked, vmOn } from "./config.ts";
import { volumeOf } from "./disks.ts";
import { isCdrom, parseDrive, printDrive } from "./drive.ts";
import { tellChanged } from "./guests.ts";
import { beforeChange } from "./seen.ts";

interface Resize {
  vmid: number;
  disk: string;
  /** "20G", or "+5G" to grow by an amount. */
  size: string;
  digest?: string;
  skipLock: boolean;
}

/** Nothing is checked before the task runs (docs/facts/proxmox.md#moving-and-growing-disks). */
export function resizeSteps(resize: Resize): JobStep[] {
  return [
    { lock: configLock(resize.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.resize", with: { ...resize } },
  ];
}

const resize: Effect<Resize> = (run, data) => {
  const { state, job } = run;
  const vm = vmOn(state, job.node, data.vmid);
  requireDigest(vm, data.digest);
  if (!data.skipLock) requireUnlocked(vm);
  const { volume, size } = target(run, vm, data);
  requirePrivileges(state, job.by, `/storage/${volume.storage}`, ["Datastore.AllocateSpace"]);
  if (size < volume.size) throw died("shrinking disks is not supported");
  if (size === volume.size) return [];
  const done: JobStep[] = [{ after: durations.resize }, { become: "vm.resized", with: { vmid: vm.vmid, disk: data.disk, size } }];
  // Volume groups are locked for it; other storages are not (pve-storage, volume_resize).
  if (kindOf(storageNamed(state, volume.storage)).label !== "lvm") return done;
  const lock = storageLock(state, volume.storage);
  return [{ lock, waitMs: STORAGE_WAIT }, ...done, { unlock: lock }];
};

function target({ state, job }: Run, vm: Vm, { disk, size }: Resize): { volume: Volume; size: number } {
  const value = vm.config[disk];
  if (value === undefined) throw died(`disk '${disk}' does not exist`);
  const drive = parseDrive(disk, value);
  if (isCdrom(drive)) throw died("you can't resize a cdrom");
  const volume = volumeOf(state, job.node, drive);
  if (!volume) throw died(`Could not determine current size of volume '${drive.file}'`);
  const more = size.startsWith("+");
  const amount = parseSize(more ? size.slice(1) : size) ?? 0;
  return { volume, size: more ? volume.size + amount : amount };
}

/** The error with the messages of lvextend and zfs. */
function noRoomToGrow(storage: StorageDefinition, volume: Volume, more: number): SimulatedError {
  if (storage.type === "zfspool")
    return died(`zfs error: cannot set property for '${storage.pool}/${volume.name}': size is greater than available space`);
  const extents = Math.ceil(more / kindOf(storage).unit);
  return died(`error resizing volume '${volumePath(storage, volume)}':   Insufficient free space: ${extents} extents needed`);
}

const resized: Effect<{ vmid: number; disk: string; size: number }> = ({ lab, state, job }, { vmid, disk, size }) => {
  const vm = vmOn(state, job.node, vmid);
  const drive = parseDrive(disk, vm.config[disk] as string);
  const volume = volumeOf(state, job.node, drive) as Volume;
  beforeChange(lab, state, vm);
  const storage = storageNamed(state, volume.storage);
  const larger = roundedSize(storage, size);
  if (isThick(storage)) {
    const more = larger - volume.size;
    if (more > usageOf(state, storage, job.node).avail) throw noRoomToGrow(storage, volume, more);
    volume.used = larger;
  }
  volume.size = larger;
  // The requested size, even if the storage rounded it up.
  vm.config[disk] = printDrive(disk, { ...drive, size: printSize(size) });
  tellChanged(lab, vm);
  return [];
};

export const resizeEffects = { "vm.resize": resize, "vm.resized": resized };
