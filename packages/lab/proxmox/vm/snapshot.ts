import { durations } from "../durations.ts";
import type { Effect, JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { died } from "../refusal.ts";
import { type ProxmoxState, seconds, type Vm, type VmSnapshot, type Volume } from "../state.ts";
import { allocateImage } from "../storage/allocate.ts";
import { kindOf } from "../storage/kinds.ts";
import { storageNamed } from "../storage/storages.ts";
import { findVolume, parseVolumeId, printVolumeId } from "../storage/volume-id.ts";
import { removeVolume } from "../storage/volumes.ts";
import { isTemplate, memoryOf, requireUnlocked, vmOn } from "./config.ts";
import { detach, drivesOf, tellCopied, volumeOf } from "./disks.ts";
import { type Drive, isCdrom } from "./drive.ts";
import { setPower, startSteps } from "./power.ts";
import { beforeChange } from "./seen.ts";

/** Whether a snapshot needs this volume. */
export function holdsSnapshots(volume: Volume): boolean {
  return Object.keys(volume.snapshots ?? {}).length > 0;
}

/** All disks of a config: no CDs and no cloud-init drives. */
function disksIn(config: Readonly<Record<string, string>>): { key: string; drive: Drive }[] {
  return drivesOf(config).filter(({ key, drive }) => !key.startsWith("unused") && !isCdrom(drive));
}

/** Whether all disks support a feature: for GET …/feature, and before a snapshot. */
export function hasFeature(state: ProxmoxState, vm: Vm, feature: string, snapname?: string): boolean {
  const config = snapname === undefined ? vm.config : snapshotOf(vm, snapname).config;
  return disksIn(config).every(({ drive }) => {
    const volume = volumeOf(state, vm.node, drive);
    if (!volume) return false;
    const { type } = storageNamed(state, volume.storage);
    if (feature === "snapshot") return kindOf({ type }).snapshots.includes(volume.format);
    if (feature === "copy") return snapname === undefined || type !== "zfspool";
    if (snapname !== undefined) return type === "lvmthin" || type === "rbd";
    return /(?:^|\/)base-[^/]*$/.test(volume.name);
  });
}

export function snapshotOf(vm: Vm, name: string): VmSnapshot {
  const snapshot = vm.snapshots?.[name];
  if (!snapshot) throw died(`snapshot '${name}' does not exist`);
  return snapshot;
}

interface SnapshotRef {
  vmid: number;
  name: string;
}

interface Taking extends SnapshotRef {
  description?: string;
  vmstate: boolean;
}

/** The config has `lock: snapshot` while volumes are being snapshotted, which blocks other changes. */
export function snapshotSteps(taking: Taking): JobStep[] {
  return [
    { lock: configLock(taking.vmid), waitMs: CONFIG_WAIT },
    { become: "snapshot.prepare", with: { ...taking } },
    { unlock: configLock(taking.vmid) },
    { after: durations.snapshot },
    { become: "snapshot.take", with: { ...taking } },
  ];
}

const prepare: Effect<Taking> = ({ lab, state, job }, { vmid, name, vmstate, description }) => {
  const vm = vmOn(state, job.node, vmid);
  if (isTemplate(vm)) throw died("you can't take a snapshot if it's a template");
  requireUnlocked(vm);
  if (vm.snapshots?.[name]) throw died(`snapshot name '${name}' already used`);
  if (!hasFeature(state, vm, "snapshot")) throw died("snapshot feature is not available");
  beforeChange(lab, state, vm);
  const { parent, ...rest } = vm.config;
  const config = Object.fromEntries(Object.entries(rest).filter(([key]) => !/^(?:lock|description|unused\d+)$/.test(key)));
  vm.snapshots = {
    ...vm.snapshots,
    [name]: {
      config,
      time: seconds(lab),
      ...(description !== undefined && description !== "" && { description }),
      ...(parent !== undefined && { parent }),
      ...(vmstate && vm.power && { vmstate: saveMemory(lab, state, vm, name) }),
    },
  };
  vm.config.lock = "snapshot";
  job.undo = [{ become: "snapshot.forget", with: { vmid, name } }];
  return [];
};

/** Allocates the volume for the memory: twice its size and half a gigabyte, on the storage of the first disk. */
function saveMemory(lab: Parameters<typeof allocateImage>[0], state: ProxmoxState, vm: Vm, name: string): string {
  const first = disksIn(vm.config)
    .map(({ drive }) => volumeOf(state, vm.node, drive))
    .find((volume) => volume !== undefined);
  const storage = storageNamed(state, vm.config.vmstatestorage ?? first?.storage ?? "local");
  const file = `vm-${vm.vmid}-state-${name}`;
  const bytes = (memoryOf(vm.config) * 2 + 500) * 1024 ** 2;
  const named = kindOf(storage).files ? `${file}.raw` : file;
  return printVolumeId(allocateImage(lab, storage, vm.node, { vmid: vm.vmid, bytes, name: named, format: "raw" }));
}

const take: Effect<Taking> = (run, { vmid, name }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  for (const { key, drive } of disksIn(snapshotOf(vm, name).config)) {
    const volume = volumeOf(state, vm.node, drive);
    if (!volume) continue;
    run.say(`snapshotting 'drive-${key}' (${drive.file})`);
    const { size, used, sha256 } = volume;
    const serial = lab.serial("proxmox volume");
    volume.snapshots = { ...volume.snapshots, [name]: { size, used, serial, ...(sha256 !== undefined && { sha256 }) } };
    tellCopied(run, volume.serial, serial);
  }
  delete vm.config.lock;
  vm.config.parent = name;
  return [];
};

const forget: Effect<SnapshotRef> = ({ state, job }, { vmid, name }) => {
  const vm = vmOn(state, job.node, vmid);
  dropMemory(state, vm, name);
  delete vm.snapshots?.[name];
  if (vm.config.lock === "snapshot") delete vm.config.lock;
  return [];
};

function dropMemory(state: ProxmoxState, vm: Vm, name: string): void {
  const id = parseVolumeId(vm.snapshots?.[name]?.vmstate ?? "");
  const volume = id && findVolume(state, vm.node, id);
  if (volume) removeVolume(state, volume);
}

export function removeSnapshotSteps(named: SnapshotRef): JobStep[] {
  return [
    { lock: configLock(named.vmid), waitMs: CONFIG_WAIT },
    { become: "snapshot.removing", with: { ...named } },
    { unlock: configLock(named.vmid) },
    { after: durations.snapshot },
    { become: "snapshot.removed", with: { ...named } },
  ];
}

const removing: Effect<SnapshotRef> = ({ state, job }, { vmid, name }) => {
  const vm = vmOn(state, job.node, vmid);
  snapshotOf(vm, name);
  requireUnlocked(vm);
  if (isTemplate(vm)) throw died("you can't delete a snapshot if vm is a template");
  vm.config.lock = "snapshot-delete";
  return [];
};

/** The children of a removed snapshot get its parent. */
const removed: Effect<SnapshotRef> = ({ state, job }, { vmid, name }) => {
  const vm = vmOn(state, job.node, vmid);
  const { parent, config } = snapshotOf(vm, name);
  for (const { drive } of disksIn(config)) delete volumeOf(state, vm.node, drive)?.snapshots?.[name];
  dropMemory(state, vm, name);
  delete vm.snapshots?.[name];
  for (const child of [vm.config, ...Object.values(vm.snapshots ?? {})] as { parent?: string }[]) {
    if (child.parent !== name) continue;
    if (parent === undefined) delete child.parent;
    else child.parent = parent;
  }
  delete vm.config.lock;
  return [];
};

/** The machine is stopped for a rollback, and started again when its memory was saved, or on request. */
export function rollbackSteps(named: SnapshotRef, start: boolean): JobStep[] {
  return [
    { lock: configLock(named.vmid), waitMs: CONFIG_WAIT },
    { become: "snapshot.rolling-back", with: { ...named } },
    { unlock: configLock(named.vmid) },
    { after: durations.snapshot },
    { become: "snapshot.rolled-back", with: { ...named, start } },
  ];
}

const rollingBack: Effect<SnapshotRef> = (run, { vmid, name }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  if (isTemplate(vm)) throw died("you can't rollback if vm is a template");
  requireMostRecent(state, vm, name);
  requireUnlocked(vm);
  if (vm.power) setPower(run, vm, false);
  beforeChange(lab, state, vm);
  vm.config.lock = "rollback";
  return [];
};

/** ZFS can roll back only to its newest snapshot. */
function requireMostRecent(state: ProxmoxState, vm: Vm, name: string): void {
  for (const { drive } of disksIn(snapshotOf(vm, name).config)) {
    const volume = volumeOf(state, vm.node, drive);
    if (!volume?.snapshots?.[name]) throw died(`can't rollback, snapshot '${name}' does not exist on '${drive.file}'`);
    const newest = Object.keys(volume.snapshots).at(-1);
    if (storageNamed(state, volume.storage).type === "zfspool" && newest !== name)
      throw died(`can't rollback, '${name}' is not most recent snapshot on '${drive.file}'`);
  }
}

const rolledBack: Effect<SnapshotRef & { start: boolean }> = (run, { vmid, name, start }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  const snapshot = snapshotOf(vm, name);
  for (const { drive } of disksIn(snapshot.config)) {
    const volume = volumeOf(state, vm.node, drive);
    const then = volume?.snapshots?.[name];
    if (!volume || !then) continue;
    volume.size = then.size;
    volume.used = then.used;
    if (then.sha256 === undefined) delete volume.sha256;
    else volume.sha256 = then.sha256;
    tellCopied(run, then.serial, volume.serial);
  }
  const kept = Object.entries(vm.config).filter(([key]) => /^(?:unused\d+|description)$/.test(key));
  const before = disksIn(vm.config);
  const files = disksIn(snapshot.config).map(({ drive }) => drive.file);
  vm.config = { ...snapshot.config, ...Object.fromEntries(kept), parent: name };
  vm.pending = {};
  vm.pendingDelete = {};
  for (const { drive } of before) if (!files.includes(drive.file)) detach(state, vm, drive);
  if (start || snapshot.vmstate !== undefined)
    startTask(lab, { type: "qmstart", id: String(vmid), node: job.node, by: job.by, steps: startSteps(vmid) });
  return [];
};

export const snapshotEffects = {
  "snapshot.prepare": prepare,
  "snapshot.take": take,
  "snapshot.forget": forget,
  "snapshot.removing": removing,
  "snapshot.removed": removed,
  "snapshot.rolling-back": rollingBack,
  "snapshot.rolled-back": rolledBack,
};
