import type { Json } from "@talosmith/lib/json.ts";
import { requirePrivileges, requireVmPrivileges } from "../access/permission.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock, STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { badParameters, died } from "../refusal.ts";
import type { ProxmoxState, Vm, Volume } from "../state.ts";
import { usableStorage } from "../storage/storages.ts";
import { printVolumeId } from "../storage/volume-id.ts";
import { freeDiskName } from "../storage/volumes.ts";
import { parseBootOrder, printBootOrder } from "./boot-order.ts";
import { cloneDiskSteps } from "./clone-disk.ts";
import { isTemplate, requireDigest, requireUnlocked, vmOn } from "./config.ts";
import { madeDrives } from "./disk-steps.ts";
import { detach, printAttached, volumeOf } from "./disks.ts";
import { type Drive, isCdrom, parseDrive } from "./drive.ts";
import { hotplug } from "./hotplug.ts";
import { applyPending } from "./pending.ts";
import { beforeChange } from "./seen.ts";
import { holdsSnapshots } from "./snapshot.ts";

/** Moves a disk of a machine to another storage (docs/facts/proxmox.md#moving-and-growing-disks). */
export interface Move {
  vmid: number;
  disk: string;
  storage: string;
  format?: string;
  remove: boolean;
  digest?: string;
}

/** Checked in the call, and again with the lock held. */
export function requireMovableDisk(state: ProxmoxState, node: string, move: Move): { drive: Drive; volume: Volume } {
  const vm = vmOn(state, node, move.vmid);
  requireUnlocked(vm);
  requireDigest(vm, move.digest);
  const { drive, volume } = diskOf(state, vm, move.disk, "you can't move a cdrom");
  if (volume.storage === move.storage && (move.format === undefined || move.format === volume.format))
    throw died("you can't move to the same storage with same format");
  if (!usableStorage(state, move.storage, node).content.includes("images"))
    throw badParameters({ storage: `storage '${move.storage}' does not support vm images` });
  if (holdsSnapshots(volume) && move.remove) throw died("you can't move a disk with snapshots and delete the source");
  return { drive, volume };
}

function diskOf(state: ProxmoxState, vm: Vm, key: string, complaint: string): { drive: Drive; volume: Volume } {
  const value = vm.config[key];
  if (value === undefined) throw died(`disk '${key}' does not exist`);
  const drive = parseDrive(key, value);
  if (isCdrom(drive)) throw died(complaint);
  const volume = volumeOf(state, vm.node, drive);
  if (!volume) throw died(`volume '${drive.file}' does not exist`);
  return { drive, volume };
}

export function moveSteps(move: Move): JobStep[] {
  return [
    { lock: configLock(move.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.move-disk", with: asJson(move) },
  ];
}

const begin: Effect<Move> = (run, move) => {
  const { state, job } = run;
  const { volume } = requireMovableDisk(state, job.node, move);
  const vm = vmOn(state, job.node, move.vmid);
  if (move.disk === "tpmstate0" && vm.power) throw died("storage migration failed: cannot move TPM state while VM is running");
  const source = printVolumeId(volume);
  run.say(`copying volume '${source}' from current storage '${volume.storage}' to target storage '${move.storage}'`);
  job.undo = [{ become: "disk.discard", with: null }];
  const copy = {
    newid: move.vmid,
    key: move.disk,
    value: vm.config[move.disk] as string,
    full: true,
    storage: move.storage,
    ...(move.format !== undefined && { format: move.format }),
  };
  const lock = storageLock(state, volume.storage);
  return [
    { blame: "storage migration failed:" },
    ...cloneDiskSteps(state, copy),
    { become: "vm.disk-moved", with: { ...move, source } },
    ...(move.remove
      ? ([
          { say: `removing source volume '${source}' after successful copy` },
          { lock, waitMs: STORAGE_WAIT, orSkip: { steps: 3, warning: "" } },
          { after: durations.freeVolume },
          { become: "vm.free", with: source },
          { unlock: lock },
        ] satisfies JobStep[])
      : []),
  ];
};

const moved: Effect<Move & { source: string }> = (run, { vmid, disk, remove, source }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  beforeChange(lab, state, vm);
  const before = parseDrive(disk, vm.config[disk] as string);
  vm.config[disk] = madeDrives(run)[disk] as string;
  job.undo = [];
  if (remove) return [];
  detach(state, vm, before);
  const key = Object.keys(vm.config).find((name) => name.startsWith("unused") && vm.config[name] === source);
  if (key !== undefined) run.say(`adding source volume '${source}' as '${key}' to config`);
  return [];
};

/** Reassigns a disk to another machine: only its name changes. */
export interface Reassignment {
  vmid: number;
  disk: string;
  target: number;
  targetDisk: string;
  digest?: string;
  targetDigest?: string;
}

export function requireReassignable(state: ProxmoxState, caller: string, node: string, wish: Reassignment): void {
  const { vmid, target } = wish;
  requireVmPrivileges(state, caller, target, undefined, ["VM.Config.Disk"]);
  if (vmid === target) throw badParameters({ "target-vmid": "must be different than source VMID to reassign disk" });
  const { volume } = checkReassignment(state, node, wish);
  requirePrivileges(state, caller, `/storage/${volume.storage}`, ["Datastore.AllocateSpace"]);
}

function checkReassignment(
  state: ProxmoxState,
  node: string,
  wish: Reassignment,
): { source: Vm; target: Vm; drive: Drive; volume: Volume } {
  const { vmid, disk, targetDisk } = wish;
  const source = state.vms[vmid];
  const target = state.vms[wish.target];
  if (!source) throw died(`could not find VM ${vmid}`);
  if (!target) throw died(`could not find target VM ${wish.target}`);
  if (source.node !== target.node) throw died(`Both VMs need to be on the same node (${source.node} != ${target.node})`);
  vmOn(state, node, vmid);
  requireUnlocked(source);
  requireUnlocked(target);
  if (isTemplate(source) || isTemplate(target)) throw died("Can't move disks from or to template VMs");
  requireDigest(source, wish.digest, `VM ${vmid}: `);
  requireDigest(target, wish.targetDigest, `VM ${wish.target}: `);
  if (source.config[disk] === undefined) throw died(`Disk '${disk}' for VM '${vmid}' does not exist`);
  if (target.config[targetDisk] !== undefined)
    throw died(`Target disk key '${targetDisk}' is already in use for VM '${wish.target}'`);
  const { drive, volume } = diskOf(state, source, disk, "CD drive contents can't be moved to another VM");
  if (holdsSnapshots(volume)) throw died("Can't move disk used by a snapshot to another VM");
  if (/(?:^|\/)base-[^/]*$/.test(volume.name)) throw died("Storage does not support moving of this disk to another VM");
  if (source.power && !disk.startsWith("unused"))
    throw died("Cannot move disk to another VM while the source VM is running - detach first");
  return { source, target, drive, volume };
}

export function reassignSteps(wish: Reassignment): JobStep[] {
  return [
    { lock: configLock(wish.vmid), waitMs: CONFIG_WAIT },
    { lock: configLock(wish.target), waitMs: CONFIG_WAIT },
    { after: durations.config },
    { become: "vm.reassign-disk", with: asJson(wish) },
  ];
}

const reassign: Effect<Reassignment> = (run, wish) => {
  const { lab, state, job } = run;
  const { source, target, drive, volume } = checkReassignment(state, job.node, wish);
  const { vmid, disk, targetDisk } = wish;
  run.say(`reassign disk '${disk}' from VM '${vmid}' as '${targetDisk}' to VM '${wish.target}'`);
  beforeChange(lab, state, source);
  beforeChange(lab, state, target);
  renameFor(state, volume, target);
  const order = parseBootOrder(source.config.boot);
  if (order.includes(disk)) {
    run.say(`removing disk '${disk}' from boot order config`);
    source.config.boot = printBootOrder(order.filter((device) => device !== disk));
  }
  delete source.config[disk];
  run.say(`removing disk '${disk}' from VM '${vmid}' config`);
  const file = printVolumeId(volume);
  if (targetDisk.startsWith("unused")) {
    target.config[targetDisk] = file;
    return [];
  }
  target.pending[targetDisk] = printAttached(targetDisk, disk.startsWith("unused") ? { file } : { ...drive, file }, volume);
  if (target.power) hotplug(state, target, new Set([targetDisk]));
  else applyPending(state, target);
  return [];
};

function renameFor(state: ProxmoxState, volume: Volume, { vmid, node }: Vm): void {
  const storage = usableStorage(state, volume.storage, node);
  volume.name = freeDiskName(state, storage, node, vmid, volume.format);
  volume.vmid = vmid;
}

function asJson(wish: Move | Reassignment): Json {
  return { ...wish };
}

export const moveDiskEffects = { "vm.move-disk": begin, "vm.disk-moved": moved, "vm.reassign-disk": reassign };
