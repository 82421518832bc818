import type { ProxmoxState, Vm } from "../state.ts";
import { destroyVolume, detach, forgetUnused } from "./disks.ts";
import { isDriveKey, parseDrive } from "./drive.ts";

/** Drops pending changes without effect. */
export function cleanPending(vm: Vm): void {
  for (const [key, value] of Object.entries(vm.pending)) if (vm.config[key] === value) delete vm.pending[key];
  for (const key of Object.keys(vm.pendingDelete)) if (vm.config[key] === undefined) delete vm.pendingDelete[key];
}

/** Applies all pending changes: at the next start, or at once while the machine is off. */
export function applyPending(state: ProxmoxState, vm: Vm): void {
  for (const key of Object.keys(vm.pendingDelete).sort()) applyDeletion(state, vm, key);
  for (const key of Object.keys(vm.pending).sort()) applyValue(state, vm, key);
}

export function applyDeletion(state: ProxmoxState, vm: Vm, key: string): void {
  const value = vm.config[key];
  const force = vm.pendingDelete[key]?.force === true;
  delete vm.pendingDelete[key];
  delete vm.config[key];
  if (value === undefined || !isDriveKey(key)) return;
  const drive = parseDrive(key, value);
  if (force) destroyVolume(state, vm, drive);
  else detach(state, vm, drive);
}

export function applyValue(state: ProxmoxState, vm: Vm, key: string): void {
  const value = vm.pending[key];
  if (value === undefined) return;
  const before = vm.config[key];
  delete vm.pending[key];
  vm.config[key] = value;
  if (!isDriveKey(key)) return;
  const { file } = parseDrive(key, value);
  forgetUnused(vm, file);
  const old = before === undefined ? undefined : parseDrive(key, before);
  if (old && old.file !== file) detach(state, vm, old);
}
