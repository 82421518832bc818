import type { Json } from "../../../lib/json.ts";
import { durations } from "../durations.ts";
import type { Effect, Step } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { printVolumeId } from "../storage/volume-id.ts";
import { removeVolume } from "../storage/volumes.ts";
import { isTemplate, requireUnlocked, requireUnprotected, vmOn } from "./config.ts";
import { drivesOf, ownedVolume } from "./disks.ts";

interface Destruction {
  vmid: number;
  purge: boolean;
  unreferenced: boolean;
  skipLock: boolean;
}

/** Checked in the call, and again by the worker (proxmox.md 3.6). */
export function requireDestroyable(vm: Vm): void {
  requireUnprotected(vm, `can't remove VM ${vm.vmid}`);
  if (vm.power) throw died(`VM ${vm.vmid} is running - destroy failed`);
}

export function destroySteps(destruction: Destruction): Step[] {
  const data: Json = { ...destruction };
  return [
    { lock: configLock(destruction.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.destroy", with: data },
    { after: durations.destroy },
    { become: "vm.destroyed", with: data },
  ];
}

const destroy: Effect<Destruction> = ({ state, job }, { vmid, skipLock }) => {
  const vm = vmOn(state, job.node, vmid);
  requireDestroyable(vm);
  if (!skipLock) requireUnlocked(vm);
  if (isTemplate(vm)) requireNoLinkedClones(state, vm);
  return [];
};

/** LVM-thin does not know who shares its blocks, so there a template goes while its clones live on. */
function requireNoLinkedClones(state: ProxmoxState, vm: Vm): void {
  for (const { drive } of drivesOf(vm.config)) {
    const volume = ownedVolume(state, vm, drive);
    const shares = state.volumes.some((other) => volume && other.parent === volume.name && other.storage === volume.storage);
    const kind = state.storages.find((storage) => storage.id === volume?.storage)?.type;
    if (volume && shares && kind !== "lvmthin")
      throw died(`base volume '${printVolumeId(volume)}' is still in use by linked cloned`);
  }
}

const destroyed: Effect<Destruction> = (run, { vmid, purge, unreferenced }) => {
  const { state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  for (const config of [vm.config, vm.pending])
    for (const { drive } of drivesOf(config)) {
      const volume = ownedVolume(state, vm, drive);
      if (volume) removeVolume(state, volume);
    }
  if (unreferenced)
    for (const volume of state.volumes.filter((left) => left.vmid === vmid && (left.node === vm.node || left.node === "*")))
      removeVolume(state, volume);
  state.access.acl = state.access.acl.filter((entry) => entry.path !== `/vms/${vmid}`);
  for (const pool of Object.values(state.pools)) pool.vms = pool.vms.filter((member) => member !== vmid);
  if (purge) run.say(`purging VM ${vmid} from related configurations..`);
  delete state.vms[vmid];
  return [];
};

export const destroyEffects = { "vm.destroy": destroy, "vm.destroyed": destroyed };
