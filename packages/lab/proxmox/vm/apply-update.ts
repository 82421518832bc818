import { requirePrivileges, requireVmPrivileges } from "../access/permission.ts";
import type { Effect } from "../jobs/job.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { printVolumeId } from "../storage/volume-id.ts";
import { parseBootOrder, printBootOrder } from "./boot-order.ts";
import { requireOneCloudInit, writeCloudInit } from "./cloud-init.ts";
import { requireUnprotected, vmOn } from "./config.ts";
import { madeDrives } from "./disk-steps.ts";
import { destroyVolume, detach, ownedVolume } from "./disks.ts";
import { isCdrom, isDriveKey, parseDrive } from "./drive.ts";
import { requireDriveRights } from "./drive-parameters.ts";
import { tellChanged } from "./guests.ts";
import { hotplug } from "./hotplug.ts";
import { isNicKey } from "./nic.ts";
import { CPU } from "./option-formats.ts";
import { type OptionChange, requireDeviceRights, requireNetworks } from "./option-rights.ts";
import { normaliseTags } from "./option-values.ts";
import { applyPending, cleanPending } from "./pending.ts";
import { beforeChange } from "./seen.ts";
import { holdsSnapshots } from "./snapshot.ts";
import { checkUpdate, type Update } from "./update.ts";

/** Checks the update with the lock held: nothing is changed unless all of it is allowed. */
const updating: Effect<Update> = (run, update) => {
  const { state, job } = run;
  const vm = vmOn(state, job.node, update.vmid);
  checkUpdate(vm, update);
  run.say(`update VM ${update.vmid}: ${describe(update)}`);
  const wish = { state, caller: job.by, vmid: vm.vmid, pool: undefined };
  for (const key of update.remove) requireRemovable(wish, vm, key, update.force);
  for (const [key, value] of Object.entries(update.set)) requireSettable(wish, vm, key, value);
  if (update.set.tags !== undefined || update.remove.includes("tags"))
    requireVmPrivileges(state, job.by, vm.vmid, undefined, ["VM.Config.Options"]);
  checkBootOrder(vm, update);
  const kept = Object.entries({ ...vm.config, ...vm.pending }).filter(([key]) => !update.remove.includes(key));
  requireOneCloudInit(Object.fromEntries(kept), update.set);
  return [];
};

function describe({ set, remove, revert }: Update): string {
  const parts = Object.keys(set)
    .sort()
    .map((key) => `-${key} ${key === "cipassword" ? "<hidden>" : set[key]}`);
  if (remove.length > 0) parts.push(`-delete ${remove.join(",")}`);
  if (revert.length > 0) parts.push(`-revert ${revert.join(",")}`);
  return parts.join(" ");
}

function requireRemovable(wish: OptionChange, vm: Vm, key: string, force: boolean): void {
  const value = vm.config[key] ?? vm.pending[key];
  if (value === undefined) return;
  if (/^unused\d+$/.test(key)) {
    requireUnprotected(vm, `can't remove unused disk '${parseDrive(key, value).file}'`);
    requireVmPrivileges(wish.state, wish.caller, vm.vmid, undefined, ["VM.Config.Disk"]);
    requireFreeable(wish, vm, key, value);
  } else if (isDriveKey(key)) {
    requireUnprotected(vm, `can't remove drive '${key}'`);
    requireDriveRights(wish.state, wish.caller, vm.vmid, parseDrive(key, value));
    if (force) requireFreeable(wish, vm, key, value);
  } else if (isNicKey(key)) {
    requireNetworks(wish.state, wish.caller, { [key]: value });
  } else {
    requireDeviceRights(wish, key, value, "delete");
  }
}

/** Checks that a volume can be freed: the right on its storage, and no snapshot that needs it. */
function requireFreeable({ state, caller }: OptionChange, vm: Vm, key: string, value: string): void {
  const volume = ownedVolume(state, vm, parseDrive(key, value));
  if (!volume) return;
  requirePrivileges(state, caller, `/storage/${volume.storage}`, ["Datastore.AllocateSpace"]);
  if (holdsSnapshots(volume)) throw died(`unable to delete '${printVolumeId(volume)}' - volume is still in use (snapshot?)`);
}

function requireSettable(wish: OptionChange, vm: Vm, key: string, value: string): void {
  const before = vm.config[key];
  if (!isDriveKey(key)) {
    if (isNicKey(key) && before !== undefined) requireNetworks(wish.state, wish.caller, { [key]: before });
    const same = before !== undefined && key === "cpu" && sameModel(before, value);
    if (before !== undefined && /^(?:usb|hostpci|serial)\d+$/.test(key)) requireDeviceRights(wish, key, before, "modify");
    if (!same) requireDeviceRights(wish, key, value, "modify");
    return;
  }
  if (before !== undefined) requireDriveRights(wish.state, wish.caller, vm.vmid, parseDrive(key, before));
  const asked = parseDrive(key, value);
  requireDriveRights(wish.state, wish.caller, vm.vmid, asked);
  const old = key === "tpmstate0" && before !== undefined ? parseDrive(key, before) : undefined;
  if (old?.file === asked.file && (old.version ?? "v1.2") !== (asked.version ?? "v1.2"))
    throw died("cannot change TPM state version after creation");
}

/** Whether only other settings of the processor change: a user who may use the model may change them. */
function sameModel(before: string, value: string): boolean {
  return parsePropertyString(CPU, before, "cpu").cputype === parsePropertyString(CPU, value, "cpu").cputype;
}

function checkBootOrder(vm: Vm, { set, remove }: Update): void {
  for (const device of parseBootOrder(set.boot)) {
    const exists = vm.config[device] ?? vm.pending[device] ?? set[device];
    if (exists === undefined || remove.includes(device)) throw died(`invalid bootorder: device '${device}' does not exist'`);
  }
}

/** Stores all changes as pending, and then applies those that the machine can take now. */
const updated: Effect<Update> = (run, update) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, update.vmid);
  beforeChange(lab, state, vm);
  let order = parseBootOrder(vm.config.boot);
  const reorder = (devices: string[]) => {
    order = devices;
    vm.pending.boot = printBootOrder(devices);
  };
  for (const key of update.revert) forget(state, vm, key);
  for (const key of update.remove) {
    if (vm.config[key] === undefined && vm.pending[key] === undefined) {
      run.say(`cannot delete '${key}' - not set in current configuration!`);
      continue;
    }
    if (order.includes(key)) reorder(order.filter((device) => device !== key));
    remove(state, vm, key, update.force);
  }
  for (const [key, asked] of Object.entries({ ...update.set, ...madeDrives(run) })) {
    const value = canonical(state, key, asked);
    if (isDriveKey(key)) {
      forget(state, vm, key, value);
      if (order.length > 0 && isCdrom(parseDrive(key, value)) && !order.includes(key)) reorder([...order, key]);
    }
    vm.pending[key] = value;
    delete vm.pendingDelete[key];
  }
  cleanPending(vm);
  // From here on the new volumes belong to the config, even if a running machine has not taken them yet.
  job.undo = [];
  const changed = new Set([...Object.keys(update.set), ...update.remove, ...update.revert, "boot"]);
  if (vm.power) hotplug(state, vm, changed);
  else applyPending(state, vm);
  writeCloudInit(vm, [...changed]);
  tellChanged(lab, vm);
  return [];
};

function canonical(state: ProxmoxState, key: string, value: string): string {
  if (key === "tags") return normaliseTags(state, value);
  const devices = key === "boot" ? parseBootOrder(value) : [];
  return devices.length > 0 ? printBootOrder(devices) : value;
}

/** Drops a pending value; a disk created for it is kept as unused. */
function forget(state: ProxmoxState, vm: Vm, key: string, replacement?: string): void {
  const pending = vm.pending[key];
  delete vm.pending[key];
  delete vm.pendingDelete[key];
  if (pending === undefined || !isDriveKey(key)) return;
  const kept = [vm.config[key], replacement].map((value) => value && parseDrive(key, value).file);
  const drive = parseDrive(key, pending);
  if (!kept.includes(drive.file)) detach(state, vm, drive);
}

function remove(state: ProxmoxState, vm: Vm, key: string, force: boolean): void {
  const value = (vm.config[key] ?? vm.pending[key]) as string;
  if (/^unused\d+$/.test(key)) {
    destroyVolume(state, vm, parseDrive(key, value));
    delete vm.config[key];
    return;
  }
  forget(state, vm, key);
  if (vm.config[key] !== undefined) vm.pendingDelete[key] = { force };
}

export const updateEffects = { "vm.updating": updating, "vm.updated": updated };
