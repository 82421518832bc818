import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { requirePrivileges } from "../access/permission.ts";
import type { Effect, JobStep } from "../jobs/job.ts";
import { configLock, WORKER_WAIT } from "../jobs/lock.ts";
import { parsePropertyString, printPropertyString } from "../parameters/property-string.ts";
import { badParameters, died, forbidden } from "../refusal.ts";
import { hostNamed, type ProxmoxState, type Vm } from "../state.ts";
import { storageNamed, usableStorage } from "../storage/storages.ts";
import { parseVolumeId } from "../storage/volume-id.ts";
import { cloneDiskSteps, type DiskCopy } from "./clone-disk.ts";
import { isTemplate, requireUnlocked, vmOn } from "./config.ts";
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
  snapname?: string;
}

/** Checked in the call, and again by the worker (docs/facts/proxmox.md#clones-and-templates). */
export function requireCloneable(state: ProxmoxState, caller: string, node: string, clone: Clone): void {
  const { vmid, newid, pool, storage, target } = clone;
  if (pool !== undefined && !state.pools[pool]) throw forbidden(`pool '${pool}' does not exist`);
  if (target !== undefined && !hostNamed(state, target)) throw died(`no such cluster node '${target}'`);
  if (storage !== undefined) {
    const wanted = usableStorage(state, storage, node);
    if (target !== undefined) usableStorage(state, storage, target);
    if (!wanted.content.includes("images")) throw badParameters({ storage: `storage '${storage}' does not support vm images` });
    if (target !== undefined && !wanted.shared) throw died(`can't clone to non-shared storage '${storage}'`);
  }
  const vm = vmOn(state, node, vmid);
  requireUnlocked(vm);
  const config = clonedConfig(vm, clone.snapname);
  const full = isFull(vm, clone);
  if (storage !== undefined && !full) throw died("parameter 'storage' not allowed for linked clones");
  if (clone.format !== undefined && !full) throw died("parameter 'format' not allowed for linked clones");
  const shared = requireStorages(state, caller, config, storage);
  for (const [key, value] of Object.entries(config))
    if (/^(?:hostpci|usb)\d+$/.test(key) || key === "cpu")
      requireDeviceRights({ state, caller, vmid, pool: undefined }, key, value);
  requireNetworks(state, caller, config);
  if (target !== undefined && !shared) throw died(`can't clone VM to node '${target}' (VM uses local storage)`);
  if (state.vms[newid]?.node === node) throw died(`unable to create VM ${newid}: config file already exists`);
  if (full && vm.power && clone.snapname === undefined && config.tpmstate0 !== undefined)
    throw died("cannot clone TPM state while VM is running");
  requireFeatures(state, vm, clone, full);
}

/** The config to clone: the current one without pending changes, or that of a snapshot. */
function clonedConfig(vm: Vm, snapname: string | undefined): Record<string, string> {
  if (snapname === undefined) return vm.config;
  const snapshot = vm.snapshots?.[snapname];
  if (!snapshot) throw died(`snapshot '${snapname}' does not exist`);
  return snapshot.config;
}

function isFull(vm: Vm, clone: Clone): boolean {
  return clone.full ?? !isTemplate(vm);
}

/** Checks access to all storages; true when all volumes are on shared storage, CDs included. */
function requireStorages(
  state: ProxmoxState,
  caller: string,
  config: Readonly<Record<string, string>>,
  storage: string | undefined,
): boolean {
  let shared = true;
  for (const { key, drive } of drivesOf(config)) {
    const id = parseVolumeId(drive.file);
    if (!id || key.startsWith("unused")) continue;
    if (!isCdrom(drive)) requirePrivileges(state, caller, `/storage/${storage ?? id.storage}`, ["Datastore.AllocateSpace"]);
    if (!storageNamed(state, id.storage).shared) shared = false;
  }
  return shared;
}

/** Everything but a ZFS snapshot can be copied; a linked clone needs a base, or a snapshot where the storage supports it. */
function requireFeatures(state: ProxmoxState, vm: Vm, { snapname }: Clone, full: boolean): void {
  for (const { key, drive } of copiedDrives(clonedConfig(vm, snapname))) {
    const volume = volumeOf(state, vm.node, drive);
    const type = volume && storageNamed(state, volume.storage).type;
    const what = `clone feature is not supported for${snapname === undefined ? "" : " a snapshot of"} '${drive.file}' (${key})`;
    if (full || isCloudInit(drive) || key === "tpmstate0") {
      if (snapname !== undefined && type === "zfspool") throw died(`Full ${what}`);
    } else {
      const can = snapname === undefined ? /(?:^|\/)base-[^/]*$/.test(volume?.name ?? "") : type === "lvmthin" || type === "rbd";
      if (!can) throw died(`Linked ${what}`);
    }
  }
}

function copiedDrives(config: Readonly<Record<string, string>>) {
  return drivesOf(config).filter(({ key, drive }) => !key.startsWith("unused") && (!isCdrom(drive) || isCloudInit(drive)));
}

/** Clones of a stopped machine can run in parallel; a running one is locked. */
export function cloneSteps(vm: Vm, clone: Clone): JobStep[] {
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
  const config = clonedConfig(vm, clone.snapname);
  if (Object.keys(vm.pending).length > 0)
    run.say(`found pending changes for '${Object.keys(vm.pending).join(",")}', discarding for clone`);
  const copies = copiedDrives(config).map(
    ({ key, drive }): DiskCopy => ({
      newid,
      key,
      value: config[key] as string,
      full: isFull(vm, clone) || isCloudInit(drive) || key === "tpmstate0",
      ...(clone.storage !== undefined && { storage: clone.storage }),
      ...(clone.format !== undefined && { format: clone.format }),
      ...(clone.snapname !== undefined && { snapname: clone.snapname }),
    }),
  );
  return [
    { blame: "clone failed:" },
    ...copies.flatMap((copy): JobStep[] => [...cloneDiskSteps(state, copy), { become: "vm.cloning", with: asJson(clone) }]),
    { become: "vm.cloning", with: asJson(clone) },
    { become: "vm.cloned", with: asJson(clone) },
  ];
};

/** After each disk the new config is written, still locked. */
const cloning: Effect<Clone> = (run, clone) => {
  const { lab, state, job } = run;
  const source = vmOn(state, job.node, clone.vmid);
  const config = clonedConfig(source, clone.snapname);
  const vm = vmOn(state, job.node, clone.newid);
  const identity = (job.memo.identity ?? freshIdentity(lab, source, config, clone)) as Record<string, string>;
  job.memo.identity = identity;
  const drives = copiedDrives(config).map(({ key }) => key);
  const copied = Object.entries(config).filter(
    ([key]) => !/^(?:template|lock|parent|unused\d+)$/.test(key) && !drives.includes(key),
  );
  vm.config = { ...Object.fromEntries(copied), ...identity, ...madeDrives(run), lock: "clone" };
  return [];
};

/** New values for settings that a copy must not share with its original. */
function freshIdentity(lab: Lab, source: Vm, config: Readonly<Record<string, string>>, clone: Clone): Record<string, string> {
  const { newid } = clone;
  const smbios = { ...parsePropertyString(SMBIOS, config.smbios1 ?? "", "smbios1"), uuid: newUuid(lab, `smbios ${newid}`) };
  const nics = Object.keys(config)
    .filter(isNicKey)
    .map((key) => [key, printNic({ ...parseNic(key, config[key] as string), macaddr: newMac(lab, newid, key) })]);
  return {
    ...Object.fromEntries(nics),
    smbios1: printPropertyString(SMBIOS, smbios),
    name: clone.name ?? `Copy-of-VM-${config.name ?? source.vmid}`,
    ...(config.vmgenid !== undefined && { vmgenid: newUuid(lab, `vmgenid ${newid}`) }),
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
