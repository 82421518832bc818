import { durations } from "../durations.ts";
import type { Effect, JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock, STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm, Volume } from "../state.ts";
import { kindOf } from "../storage/kinds.ts";
import { storageNamed } from "../storage/storages.ts";
import { printVolumeId } from "../storage/volume-id.ts";
import { isTemplate, requireUnlocked, vmOn } from "./config.ts";
import { makeBase } from "./disk-steps.ts";
import { drivesOf, ownedVolume, printAttached } from "./disks.ts";
import { isCdrom } from "./drive.ts";
import { beforeChange } from "./seen.ts";

interface Conversion {
  vmid: number;
  disk?: string;
}

/** Checked in the call, and again by the worker (docs/facts/proxmox.md#clones-and-templates). */
export function requireConvertible(vm: Vm, disk: string | undefined): void {
  requireUnlocked(vm);
  if (Object.keys(vm.snapshots ?? {}).length > 0) throw died("unable to create template, because VM contains snapshots");
  if (isTemplate(vm) && disk === undefined) throw died("you can't convert a template to a template");
  if (vm.power) throw died("you can't convert a VM to template if VM is running");
}

export function templateSteps(conversion: Conversion): JobStep[] {
  return [
    { lock: configLock(conversion.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.template", with: { ...conversion } },
  ];
}

/** The machine is a template from the start; disks follow one by one, and killing the worker leaves some unconverted. */
const convert: Effect<Conversion> = ({ lab, state, job }, { vmid, disk }) => {
  const vm = vmOn(state, job.node, vmid);
  requireConvertible(vm, disk);
  beforeChange(lab, state, vm);
  vm.config.template = "1";
  return convertible(state, vm, disk).flatMap(({ key, volume }): JobStep[] => {
    const lock = storageLock(state, volume.storage);
    return [
      { lock, waitMs: STORAGE_WAIT },
      { after: durations.template },
      { become: "vm.base", with: { vmid, disk: key } },
      { unlock: lock },
    ];
  });
};

/** The disks to convert; storages without bases (a plain volume group) are skipped. */
function convertible(state: ProxmoxState, vm: Vm, disk: string | undefined): { key: string; volume: Volume }[] {
  return drivesOf(vm.config).flatMap(({ key, drive }) => {
    const volume = ownedVolume(state, vm, drive);
    if (!volume || isCdrom(drive) || key.startsWith("unused") || (disk !== undefined && key !== disk)) return [];
    return kindOf(storageNamed(state, volume.storage)).templates ? [{ key, volume }] : [];
  });
}

/** Renames vm-… to base-…; clones can then share its blocks. */
const base: Effect<{ vmid: number; disk: string }> = ({ state, job }, { vmid, disk }) => {
  const vm = vmOn(state, job.node, vmid);
  for (const { key, drive } of drivesOf(vm.config)) {
    const volume = key === disk ? ownedVolume(state, vm, drive) : undefined;
    if (!volume) continue;
    makeBase(storageNamed(state, volume.storage), volume);
    vm.config[key] = printAttached(key, { ...drive, file: printVolumeId(volume) }, volume);
  }
  return [];
};

export const templateEffects = { "vm.template": convert, "vm.base": base };
