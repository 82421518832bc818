import type { Json } from "@talosmith/lib/json.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { badParameters, died } from "../refusal.ts";
import { hostNamed, type ProxmoxState, type Vm, type Volume } from "../state.ts";
import { kindOf } from "../storage/kinds.ts";
import { isOn, placeOf, storageNamed, usableStorage } from "../storage/storages.ts";
import { findVolume, parseVolumeName, printVolumeId } from "../storage/volume-id.ts";
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
  /** Target storage of local disks, in place of the storage with the same name. */
  storage?: string;
}

/** Checked in the call, before a worker starts. */
export function requireMovable(state: ProxmoxState, node: string, { vmid, target, online, storage }: Migration): void {
  if (target === node) throw badParameters({ target: "target is local node." });
  if (!hostNamed(state, target)) throw died(`no such cluster node '${target}'`);
  const vm = vmOn(state, node, vmid);
  requireUnlocked(vm);
  if (vm.power && !online) throw died("can't migrate running VM without --online");
  for (const { drive } of drivesOf(vm.config)) {
    const volume = volumeOf(state, node, drive);
    if (volume) usableStorage(state, volume.node === "*" ? volume.storage : (storage ?? volume.storage), target);
  }
}

/** Devices of one host stay there; devices mapped on both hosts migrate with a stopped machine. */
function requireDevices(state: ProxmoxState, vm: Vm, target: string): void {
  const devices = Object.entries(vm.config).filter(([key]) => /^(?:hostpci|usb)\d+$/.test(key));
  const raw = devices.filter(([, value]) => !/(?:^|,)mapping=/.test(value) && !/^(?:host=)?spice/i.test(value));
  if (raw.length > 0) throw died(`can't migrate VM which uses local devices: ${raw.map(([key]) => key).join(", ")}`);
  const mapped = devices.map(([key, value]) => ({ key, name: /(?:^|,)mapping=([^,]+)/.exec(value)?.[1] ?? "" }));
  const missing = mapped.filter(({ key, name }) => {
    const mapping = key.startsWith("usb") ? state.mappings.usb[name] : state.mappings.pci[name];
    return !mapping?.map.some((entry) => entry.split(",").includes(`node=${target}`));
  });
  if (missing.length > 0)
    throw died(`can't migrate to '${target}': missing mapped devices ${missing.map(({ key }) => key).join(", ")}`);
  const alive = mapped.filter(({ name }) => !state.mappings.pci[name]?.liveMigration);
  if (vm.power && alive.length > 0)
    throw died(
      `can't live migrate running VM which uses following mapped devices: ${alive.map(({ key, name }) => `${key}:${name}`).join(", ")}`,
    );
}

/** GET …/migrate: possible target hosts, and the obstacles to others. */
export function migrationOutlook(state: ProxmoxState, vm: Vm): Json {
  const local = drivesOf(vm.config).flatMap(({ drive }) => {
    const volume = volumeOf(state, vm.node, drive);
    return volume && volume.node !== "*" ? [{ volume, cdrom: isCdrom(drive) && !isCloudInit(drive) }] : [];
  });
  const stores = [...new Set(drivesOf(vm.config).flatMap(({ drive }) => volumeOf(state, vm.node, drive)?.storage ?? []))];
  const others = state.hosts.map(({ name }) => name).filter((name) => name !== vm.node);
  const missing = (node: string) => stores.filter((id) => !isOn(storageNamed(state, id), node));
  const devices = Object.keys(vm.config).filter((key) => /^(?:hostpci|usb)\d+$/.test(key));
  return {
    running: vm.power ? 1 : 0,
    local_disks: local.map(({ volume, cdrom }) => ({ volid: printVolumeId(volume), size: volume.size, cdrom: cdrom ? 1 : 0 })),
    local_resources: devices,
    "mapped-resources": devices.filter((key) => /(?:^|,)mapping=/.test(vm.config[key] ?? "")),
    ...(!vm.power && { allowed_nodes: others.filter((node) => missing(node).length === 0) }),
    ...(!vm.power && {
      not_allowed_nodes: Object.fromEntries(
        others.filter((node) => missing(node).length > 0).map((node) => [node, { unavailable_storages: missing(node) }]),
      ),
    }),
  };
}

export function migrationSteps(migration: Migration): JobStep[] {
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
  requireDevices(state, vm, migration.target);
  const local = requireLocalDisks(run, vm, migration);
  beforeChange(lab, state, vm);
  vm.config.lock = "migrate";
  job.undo = [{ become: "vm.unmigrated", with: { vmid: vm.vmid } }];
  const copying = local.reduce((sum, volume) => sum + durations.migrateDisk(volume.used), durations.migrate);
  return [{ after: copying }, { become: "vm.migrated", with: asJson(migration) }];
};

/** Disks on local storage are copied; CDs there are not. */
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
    if (!ownedVolume(state, vm, drive)) {
      run.say(`can't migrate local disk '${printVolumeId(volume)}': owned by other VM (owner = VM ${volume.vmid})`);
      throw died("migration aborted");
    }
    const base = parseVolumeName(storageNamed(state, volume.storage), volume.name).base;
    if (base !== undefined) {
      run.say(
        `ERROR: Problem found while scanning volumes - can't migrate '${printVolumeId(volume)}' as it's a clone of '${base}'`,
      );
      throw died("migration aborted");
    }
    local.push(volume);
  }
  return local;
}

/** Moves the config and the disks to the other host. */
const migrated: Effect<Migration> = (run, { vmid, target, storage: elsewhere }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  beforeChange(lab, state, vm);
  for (const { key, drive } of drivesOf(vm.config)) {
    const volume = ownedVolume(state, vm, drive);
    if (!volume || volume.node === "*") continue;
    const storage = storageNamed(state, elsewhere ?? volume.storage);
    const moves = storage.id !== volume.storage;
    if (moves && !kindOf(storage).formats.includes(volume.format)) volume.format = kindOf(storage).formats[0] as string;
    // A volume of that name exists there already, left by a former machine with this id.
    if (moves || findVolume(state, target, volume)) volume.name = freeDiskName(state, storage, target, vmid, volume.format);
    volume.storage = storage.id;
    volume.node = placeOf(storage, target);
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
