import type { Json } from "@talosmith/lib/json.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock, STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm, Volume } from "../state.ts";
import { findVolume, parseVolumeId, printVolumeId } from "../storage/volume-id.ts";
import { isBaseInUse, removeVolume } from "../storage/volumes.ts";
import { isTemplate, requireUnlocked, requireUnprotected, vmOn } from "./config.ts";
import { drivesOf, ownedVolume } from "./disks.ts";

interface Destruction {
  vmid: number;
  purge: boolean;
  unreferenced: boolean;
  skipLock: boolean;
}

/** Checked in the call, and again by the worker (docs/facts/proxmox.md#destroy). */
export function requireDestroyable(state: ProxmoxState, vm: Vm, purge: boolean): void {
  requireUnprotected(vm, `can't remove VM ${vm.vmid}`);
  if (!purge && state.ha.resources[`vm:${vm.vmid}`])
    throw died(`unable to remove VM ${vm.vmid} - used in HA resources and purge parameter not set.`);
  if (vm.power) throw died(`VM ${vm.vmid} is running - destroy failed`);
}

export function destroySteps(destruction: Destruction): JobStep[] {
  const data: Json = { ...destruction };
  return [
    { lock: configLock(destruction.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.destroy", with: data },
    { become: "vm.zombie", with: data },
    { after: durations.destroy },
    { become: "vm.destroyed", with: data },
  ];
}

/** Removes the machine's volumes one by one. One whose storage stays locked too long is left behind with a warning, and the task succeeds. */
const destroy: Effect<Destruction> = ({ state, job }, { vmid, skipLock, unreferenced, purge }) => {
  const vm = vmOn(state, job.node, vmid);
  requireDestroyable(state, vm, purge);
  if (!skipLock && vm.config.lock !== "suspended") requireUnlocked(vm);
  if (isTemplate(vm)) requireNoLinkedClones(state, vm);
  return [...ownVolumes(state, vm, unreferenced)].flatMap((volume): JobStep[] => {
    const volid = printVolumeId(volume);
    const lock = storageLock(state, volume.storage);
    return [
      {
        lock,
        waitMs: STORAGE_WAIT,
        orSkip: { steps: 3, warning: `Could not remove disk '${volid}', check manually: ` },
      },
      { after: durations.freeVolume },
      { become: "vm.free", with: volid },
      { unlock: lock },
    ];
  });
};

/** The machine's own volumes in its config: current and pending ones, unused ones and snapshots' memory (QemuServer.pm, destroy_vm). */
function ownVolumes(state: ProxmoxState, vm: Vm, unreferenced: boolean): Set<Volume> {
  const own = new Set<Volume>();
  const memories = Object.values(vm.snapshots ?? {}).flatMap(({ vmstate }) => (vmstate === undefined ? [] : [{ file: vmstate }]));
  for (const drive of [...[vm.config, vm.pending].flatMap(drivesOf).map((one) => one.drive), ...memories]) {
    const volume = ownedVolume(state, vm, drive);
    if (volume) own.add(volume);
  }
  if (unreferenced)
    for (const volume of state.volumes)
      if (volume.vmid === vm.vmid && (volume.node === vm.node || volume.node === "*")) own.add(volume);
  return own;
}

const free: Effect<string> = ({ state, job }, volid) => {
  const id = parseVolumeId(volid);
  const volume = id && findVolume(state, job.node, id);
  if (volume) removeVolume(state, volume);
  return [];
};

/** Refuses a base in use. Where a clone's name does not contain its base (LVM-thin), a template can be destroyed despite its clones. */
function requireNoLinkedClones(state: ProxmoxState, vm: Vm): void {
  for (const { drive } of drivesOf(vm.config)) {
    const volume = ownedVolume(state, vm, drive);
    if (volume && isBaseInUse(state, volume))
      throw died(`base volume '${printVolumeId(volume)}' is still in use by linked cloned`);
  }
}

/** The id stays taken until everything that mentions it is removed. */
const zombie: Effect<Destruction> = ({ state, job }, { vmid }) => {
  const vm = vmOn(state, job.node, vmid);
  vm.config = { lock: "destroyed" };
  vm.pending = {};
  vm.pendingDelete = {};
  delete vm.snapshots;
  return [];
};

const destroyed: Effect<Destruction> = (run, { vmid, purge }) => {
  const { state } = run;
  state.access.acl = state.access.acl.filter((entry) => entry.path !== `/vms/${vmid}`);
  for (const pool of Object.values(state.pools)) pool.vms = pool.vms.filter((member) => member !== vmid);
  if (purge) run.say(`purging VM ${vmid} from related configurations..`);
  if (purge && state.ha.resources[`vm:${vmid}`]) {
    delete state.ha.resources[`vm:${vmid}`];
    run.say(`NOTE: removed VM ${vmid} from HA resource configuration.`);
  }
  delete state.vms[vmid];
  return [];
};

export const destroyEffects = { "vm.destroy": destroy, "vm.free": free, "vm.zombie": zombie, "vm.destroyed": destroyed };
