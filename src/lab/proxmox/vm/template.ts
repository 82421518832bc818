import { durations } from "../durations.ts";
import type { Effect, Step } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { died } from "../refusal.ts";
import type { Vm } from "../state.ts";
import { printVolumeId } from "../storage/volume-id.ts";
import { isTemplate, requireUnlocked, vmOn } from "./config.ts";
import { drivesOf, ownedVolume, printAttached } from "./disks.ts";
import { isCdrom } from "./drive.ts";
import { beforeChange } from "./seen.ts";

interface Conversion {
  vmid: number;
  disk?: string;
}

/** Checked in the call, and again by the worker (proxmox.md 3.6). */
export function requireConvertible(vm: Vm, disk: string | undefined): void {
  requireUnlocked(vm);
  if (isTemplate(vm) && disk === undefined) throw died("you can't convert a template to a template");
  if (vm.power) throw died("you can't convert a VM to template if VM is running");
}

export function templateSteps(conversion: Conversion): Step[] {
  return [
    { lock: configLock(conversion.vmid), waitMs: CONFIG_WAIT },
    { after: durations.template },
    { become: "vm.template", with: { ...conversion } },
  ];
}

/** Disks become bases that clones can share: vm-… is renamed to base-…. */
const convert: Effect<Conversion> = ({ lab, state, job }, { vmid, disk }) => {
  const vm = vmOn(state, job.node, vmid);
  requireConvertible(vm, disk);
  beforeChange(lab, state, vm);
  vm.config.template = "1";
  for (const { key, drive } of drivesOf(vm.config)) {
    const volume = ownedVolume(state, vm, drive);
    if (!volume || isCdrom(drive) || key.startsWith("unused") || (disk !== undefined && key !== disk)) continue;
    volume.name = volume.name.replace(/(^|\/)vm-/, "$1base-");
    delete volume.parent;
    vm.config[key] = printAttached(key, { ...drive, file: printVolumeId(volume) }, volume);
  }
  return [];
};

export const templateEffects = { "vm.template": convert };
