import type { Json } from "../../../lib/json.ts";
import { requirePrivileges } from "../access/permission.ts";
import type { Effect, Step } from "../jobs/job.ts";
import { configLock, WORKER_WAIT } from "../jobs/lock.ts";
import { parsePropertyString, printPropertyString } from "../parameters/property-string.ts";
import { badParameters, died, forbidden } from "../refusal.ts";
import { hostNamed, type ProxmoxState, type Vm } from "../state.ts";
import { storageNamed, usableStorage } from "../storage/storages.ts";
import { cloneDiskSteps, type DiskCopy } from "./clone-disk.ts";
import { isTemplate, nameOf, requireUnlocked, vmOn } from "./config.ts";
import { madeDrives } from "./disk-steps.ts";
import { drivesOf, volumeOf } from "./disks.ts";
import { isCdrom, isCloudInit } from "./drive.ts";
import { newMac, newUuid } from "./identity.ts";
import { isNicKey, parseNic, printNic } from "./nic.ts";
import { SMBIOS } from "./option-formats.ts";
import { requireDeviceRights, requireNetworks } from "./option-rights.ts";
import { newVm } from "./seen.ts";

export interface Clone {
  vmid: number;
  newid: number;
  full?: boolean;
  name?: string;
  description?: string;
  pool?: string;
  storage?: string;
  format?: string;
  target?: string;
}

/** Checked in the call, and again by the worker (proxmox.md 3.6). */
export function requireCloneable(state: ProxmoxState, caller: string, node: string, clone: Clone): void {
  const { vmid, newid, pool, storage, target } = clone;
  if (pool !== undefined && !state.pools[pool]) throw forbidden(`pool '${pool}' does not exist`);
  if (target !== undefined && !hostNamed(state, target)) throw died(`no such cluster node '${target}'`);
  if (storage !== undefined) {
    const wanted = usableStorage(state, storage, node);
    if (!wanted.content.includes("images")) throw badParameters({ storage: `storage '${storage}' does not support vm images` });
    if (target !== undefined && !wanted.shared) throw died(`can't clone to non-shared storage '${storage}'`);
  }
  const vm = vmOn(state, node, vmid);
  requireUnlocked(vm);
  const full = isFull(vm, clone);
  if (storage !== undefined && !full) throw died("parameter 'storage' not allowed for linked clones");
  if (clone.format !== undefined && !full) throw died("parameter 'format' not allowed for linked clones");
  const shared = requireDisks(state, caller, vm, storage, full);
  requireNetworks(state, caller, vm.config);
  for (const [key, value] of Object.entries(vm.config))
    if (/^(?:hostpci|usb)\d+$/.test(key)) requireDeviceRights({ state, caller, vmid, pool: undefined }, key, value);
  if (target !== undefined && !shared) throw died(`can't clone VM to node '${target}' (VM uses local storage)`);
  if (state.vms[newid]?.node === node) throw died(`unable to create VM ${newid}: config file already exists`);
}

function isFull(vm: Vm, clone: Clone): boolean {
  return clone.full ?? !isTemplate(vm);
}

/** True when every disk lies on shared storage. */
function requireDisks(state: ProxmoxState, caller: string, vm: Vm, storage: string | undefined, full: boolean): boolean {
  let shared = true;
  for (const { key, drive } of copiedDrives(vm)) {
    const volume = volumeOf(state, vm.node, drive);
    const place = storage ?? volume?.storage ?? "";
    requirePrivileges(state, caller, `/storage/${place}`, ["Datastore.AllocateSpace"]);
    if (!volume || !storageNamed(state, volume.storage).shared) shared = false;
    const linked = !full && !isCloudInit(drive) && key !== "tpmstate0";
    if (linked && !/(?:^|\/)base-/.test(volume?.name ?? ""))
      throw died(`Linked clone feature is not supported for '${drive.file}' (${key})`);
  }
  return shared;
}

function copiedDrives(vm: Vm) {
  return drivesOf(vm.config).filter(({ key, drive }) => !key.startsWith("unused") && (!isCdrom(drive) || isCloudInit(drive)));
}

/** Clones of a machine that is off can be made side by side; one that runs is locked. */
export function cloneSteps(vm: Vm, clone: Clone): Step[] {
  const { vmid, newid } = clone;
  return [
    { lock: configLock(vmid), waitMs: WORKER_WAIT, ...(!vm.power && { shared: true as const }) },
    { lock: configLock(newid), waitMs: WORKER_WAIT },
    { become: "vm.clone", with: asJson(clone) },
  ];
}

function asJson(clone: Clone): Json {
  return { ...clone };
}

const begin: Effect<Clone> = (run, clone) => {
  const { lab, state, job } = run;
  requireCloneable(state, job.by, job.node, clone);
  const { vmid, newid } = clone;
  const vm = vmOn(state, job.node, vmid);
  run.say(`creating a clone of VM ${vmid} with ID ${newid}`);
  if (state.vms[newid])
    throw died(`unable to open file '/etc/pve/nodes/${job.node}/qemu-server/${newid}.conf.tmp.${job.id}' - File exists`);
  state.vms[newid] = newVm(lab, newid, job.node, { lock: "clone" });
  job.undo = [
    { become: "disk.discard", with: null },
    { become: "vm.uncreated", with: { vmid: newid } },
  ];
  if (Object.keys(vm.pending).length > 0)
    run.warn(`found pending changes for '${Object.keys(vm.pending).join(",")}', discarding for clone`);
  const copies = copiedDrives(vm).map(
    ({ key, drive }): DiskCopy => ({
      vmid,
      newid,
      key,
      full: isFull(vm, clone) || isCloudInit(drive) || key === "tpmstate0",
      ...(clone.storage !== undefined && { storage: clone.storage }),
      ...(clone.format !== undefined && { format: clone.format }),
    }),
  );
  return [
    { blame: "clone failed:" },
    ...copies.flatMap((copy): Step[] => [...cloneDiskSteps(copy, vm), { become: "vm.cloning", with: asJson(clone) }]),
    { become: "vm.cloning", with: asJson(clone) },
    { become: "vm.cloned", with: asJson(clone) },
  ];
};

/** After each disk the new config is written, still locked. */
const cloning: Effect<Clone> = (run, clone) => {
  const { lab, state, job } = run;
  const source = vmOn(state, job.node, clone.vmid);
  const vm = vmOn(state, job.node, clone.newid);
  const identity = (job.memo.identity ?? freshIdentity(lab, source, clone)) as Record<string, string>;
  job.memo.identity = identity;
  const copied = Object.entries(source.config).filter(
    ([key]) => !/^(?:template|lock|unused\d+)$/.test(key) && !copiedDrives(source).some((drive) => drive.key === key),
  );
  vm.config = { ...Object.fromEntries(copied), ...identity, ...madeDrives(run), lock: "clone" };
  return [];
};

/** What a copy must not share with its original. */
function freshIdentity(lab: Parameters<typeof newUuid>[0], source: Vm, clone: Clone): Record<string, string> {
  const { newid } = clone;
  const smbios = {
    ...parsePropertyString(SMBIOS, source.config.smbios1 ?? "", "smbios1"),
    uuid: newUuid(lab, `smbios ${newid}`),
  };
  const nics = Object.keys(source.config)
    .filter(isNicKey)
    .map((key) => [key, printNic({ ...parseNic(key, source.config[key] as string), macaddr: newMac(lab, newid, key) })]);
  return {
    ...Object.fromEntries(nics),
    smbios1: printPropertyString(SMBIOS, smbios),
    name: clone.name ?? `Copy-of-VM-${source.config.name ?? nameOf(source).replace("VM ", "")}`,
    ...(source.config.vmgenid !== undefined && { vmgenid: newUuid(lab, `vmgenid ${newid}`) }),
    ...(clone.description !== undefined && clone.description.trimEnd() !== "" && { description: clone.description.trimEnd() }),
  };
}

const cloned: Effect<Clone> = ({ state, job }, { newid, pool, target }) => {
  const vm = vmOn(state, job.node, newid);
  delete vm.config.lock;
  if (target !== undefined) vm.node = target;
  if (pool !== undefined) state.pools[pool]?.vms.push(newid);
  return [];
};

export const cloneEffects = { "vm.clone": begin, "vm.cloning": cloning, "vm.cloned": cloned };
