import type { Json } from "../../../lib/json.ts";
import { durations } from "../durations.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { badParameters, died } from "../refusal.ts";
import { hostNamed, type ProxmoxState, type Vm, type Volume } from "../state.ts";
import { storageNamed, usableStorage } from "../storage/storages.ts";
import { findVolume, printVolumeId } from "../storage/volume-id.ts";
import { freeDiskName } from "../storage/volumes.ts";
import { requireUnlocked, vmOn } from "./config.ts";
import { drivesOf, ownedVolume, printAttached, volumeOf } from "./disks.ts";
import { isCdrom, isCloudInit } from "./drive.ts";
import { beforeChange } from "./seen.ts";

interface Migration {
  vmid: number;
  target: string;
  online: boolean;
  withLocalDisks: boolean;
}

/** Checked in the call, before a worker begins. */
export function requireMovable(state: ProxmoxState, node: string, { vmid, target, online }: Migration): void {
  if (target === node) throw badParameters({ target: "target is local node." });
  if (!hostNamed(state, target)) throw died(`no such cluster node '${target}'`);
  const vm = vmOn(state, node, vmid);
  requireUnlocked(vm);
  if (vm.power && !online) throw died("can't migrate running VM without --online");
  for (const { drive } of drivesOf(vm.config)) {
    const volume = volumeOf(state, node, drive);
    if (volume) usableStorage(state, volume.storage, target);
  }
}

export function migrationSteps(migration: Migration): Step[] {
  return [
    { lock: configLock(migration.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.migrate", with: asJson(migration) },
  ];
}

function asJson(migration: Migration): Json {
  return { ...migration };
}

const begin: Effect<Migration> = (run, migration) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, migration.vmid);
  requireUnlocked(vm);
  run.say(`starting migration of VM ${vm.vmid} to node '${migration.target}'`);
  const local = requireLocalDisks(run, vm, migration);
  beforeChange(lab, state, vm);
  vm.config.lock = "migrate";
  job.undo = [{ become: "vm.unmigrated", with: { vmid: vm.vmid } }];
  const copying = local.reduce((sum, volume) => sum + durations.migrateDisk(volume.used), durations.migrate);
  return [{ after: copying }, { become: "vm.migrated", with: asJson(migration) }];
};

/** Disks on local storage are copied over; CDs there are not. */
function requireLocalDisks(run: Run, vm: Vm, { withLocalDisks }: Migration): Volume[] {
  const { state } = run;
  const local: Volume[] = [];
  for (const { drive } of drivesOf(vm.config)) {
    const volume = volumeOf(state, vm.node, drive);
    if (!volume || storageNamed(state, volume.storage).shared) continue;
    if (isCdrom(drive) && !isCloudInit(drive)) {
      run.say(`can't migrate local disk '${printVolumeId(volume)}': local cdrom image`);
      throw died("migration aborted");
    }
    if (vm.power && !withLocalDisks) {
      run.say("can't live migrate attached local disks without with-local-disks option");
      throw died("migration aborted");
    }
    if (ownedVolume(state, vm, drive)) local.push(volume);
  }
  return local;
}

/** The config moves to the other host, and the disks with it. */
const migrated: Effect<Migration> = (run, { vmid, target }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  beforeChange(lab, state, vm);
  for (const { key, drive } of drivesOf(vm.config)) {
    const volume = ownedVolume(state, vm, drive);
    if (!volume || volume.node === "*") continue;
    const storage = storageNamed(state, volume.storage);
    // Left there by another machine that once had this id.
    if (findVolume(state, target, volume)) volume.name = freeDiskName(state, storage, target, vmid, volume.format);
    volume.node = target;
    vm.config[key] = key.startsWith("unused")
      ? printVolumeId(volume)
      : printAttached(key, { ...drive, file: printVolumeId(volume) }, drive.size === undefined ? undefined : volume);
    if (volume.parent !== undefined) volume.used = volume.size;
    delete volume.parent;
  }
  delete vm.config.lock;
  vm.node = target;
  run.say("migration finished successfully");
  return [];
};

const unmigrated: Effect<{ vmid: number }> = ({ state }, { vmid }) => {
  const vm = state.vms[vmid];
  if (vm) delete vm.config.lock;
  return [];
};

export const migrateEffects = { "vm.migrate": begin, "vm.migrated": migrated, "vm.unmigrated": unmigrated };
