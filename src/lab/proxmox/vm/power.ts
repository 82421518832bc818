import type { Json } from "../../../lib/json.ts";
import type { Lab, TransitionHandler } from "../../kernel/kernel.ts";
import { ROOT } from "../access/acl.ts";
import { durations } from "../durations.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { died } from "../refusal.ts";
import { hostNamed, type ProxmoxState, proxmoxState, type Vm } from "../state.ts";
import { isTemplate, requireUnlocked, vmOn } from "./config.ts";
import { drivesOf, volumeOf } from "./disks.ts";
import { isNicKey, parseNic } from "./nic.ts";
import { HOSTPCI } from "./option-formats.ts";
import { applyPending } from "./pending.ts";
import { beforeChange } from "./seen.ts";

/** What a machine's guest hears of its power, if anybody in this lab plays guests: {vmid, node, on}. */
const MACHINE_POWER = "machine.power";

/** The one place where a machine begins or ceases to run. */
function setPower({ lab, state }: Pick<Run, "lab" | "state">, vm: Vm, on: boolean): void {
  beforeChange(lab, state, vm);
  if (on) vm.power = { pid: 100_000 + lab.serial(`proxmox kvm ${vm.node}`), since: lab.now() };
  else delete vm.power;
  tellGuest(lab, vm, on);
}

/** A guest that switches its machine off itself. */
export function guestPoweredOff(lab: Lab, vmid: number): void {
  const state = proxmoxState(lab);
  const vm = state.vms[vmid];
  if (vm?.power) setPower({ lab, state }, vm, false);
}

function tellGuest(lab: Lab, vm: Vm, on: boolean): void {
  if (lab.handles(MACHINE_POWER)) lab.schedule(MACHINE_POWER, 0, { vmid: vm.vmid, node: vm.node, on });
}

interface OfVm {
  vmid: number;
}

/** proxmox.md 3.7: starting a running machine fails in the task, not in the call. */
export function startSteps(vmid: number): Step[] {
  return [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { become: "vm.start", with: { vmid } },
    { fail: `VM ${vmid} already running`, when: { running: vmid } },
    { after: durations.start },
    { become: "vm.started", with: { vmid } },
  ];
}

export function stopSteps(vmid: number): Step[] {
  return [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { become: "vm.stop", with: { vmid } },
  ];
}

export interface Shutdown extends OfVm {
  /** Milliseconds the guest is given. */
  limit: number;
  force: boolean;
}

/** The lock is held until the guest is down: nothing else can be done to the machine meanwhile. */
export function shutdownSteps(shutdown: Shutdown): Step[] {
  return [
    { lock: configLock(shutdown.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.shutdown", with: { ...shutdown } },
  ];
}

/** The machine runs again some time after the task has ended. */
export function rebootSteps(shutdown: Shutdown): Step[] {
  return [...shutdownSteps(shutdown), { become: "vm.restart", with: { vmid: shutdown.vmid } }];
}

export function resetSteps(vmid: number): Step[] {
  return [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { fail: `VM ${vmid} not running`, when: { stopped: vmid } },
    { after: durations.reset },
    { become: "vm.reset", with: { vmid } },
  ];
}

const start: Effect<OfVm> = ({ state, job }, { vmid }) => {
  const vm = vmOn(state, job.node, vmid);
  if (isTemplate(vm)) throw died("you can't start a vm if it's a template");
  requireUnlocked(vm);
  return [];
};

const started: Effect<OfVm> = (run, { vmid }) => {
  const { lab, state, job } = run;
  const vm = vmOn(state, job.node, vmid);
  beforeChange(lab, state, vm);
  applyPending(state, vm);
  requireBridges(run, vm);
  requireDevices(vm);
  setPower(run, vm, true);
  return [];
};

/** Nobody looks at the bridge before (proxmox.md 3.4). */
function requireBridges({ state }: Run, vm: Vm): void {
  const bridges = hostNamed(state, vm.node)?.bridges ?? [];
  for (const key of Object.keys(vm.config).filter(isNicKey).sort()) {
    const { bridge } = parseNic(key, vm.config[key] as string);
    if (bridge !== undefined && !bridges.includes(bridge)) throw died(`bridge '${bridge}' does not exist`);
  }
}

/** The hosts of this lab have no devices to give away (proxmox.md 7). */
function requireDevices(vm: Vm): void {
  for (const key of Object.keys(vm.config)
    .filter((name) => /^hostpci\d+$/.test(name))
    .sort()) {
    const { host, mapping, pcie } = parsePropertyString(HOSTPCI, vm.config[key] as string, key);
    if (pcie === "1" && !vm.config.machine?.includes("q35")) throw died("q35 machine model is not enabled");
    if (mapping !== undefined) throw died(`PCI device mapping not found for '${mapping}'`);
    throw died(`no PCI device found for '${host}'`);
  }
}

const stop: Effect<OfVm> = ({ state, job }, { vmid }) => {
  const vm = vmOn(state, job.node, vmid);
  if (!vm.power) return [];
  requireUnlocked(vm);
  return [{ after: durations.stop }, { become: "vm.stopped", with: { vmid } }];
};

const stopped: Effect<OfVm> = (run, { vmid }) => {
  const vm = vmOn(run.state, run.job.node, vmid);
  if (vm.power) setPower(run, vm, false);
  return [];
};

const shutdown: Effect<Shutdown> = ({ state, job }, { vmid, limit, force }) => {
  const vm = vmOn(state, job.node, vmid);
  if (!vm.power) return [];
  requireUnlocked(vm);
  const down: Json = { vmid };
  if (hasGuest(state, vm) && limit >= durations.shutdown)
    return [{ after: durations.shutdown }, { become: "vm.stopped", with: down }];
  if (!force) return [{ after: limit }, { become: "vm.unresponsive", with: down }];
  return [
    { after: limit },
    { say: "VM quit/powerdown failed - got timeout" },
    { say: "VM still running - terminating now with SIGTERM" },
    { after: durations.stop },
    { become: "vm.stopped", with: down },
  ];
};

/** A machine with nothing on its disks never reacts to its power button. */
function hasGuest(state: ProxmoxState, vm: Vm): boolean {
  return drivesOf(vm.config).some(({ drive }) => volumeOf(state, vm.node, drive)?.sha256 !== undefined);
}

const unresponsive: Effect<OfVm> = () => {
  throw died("VM quit/powerdown failed - got timeout");
};

/** Done by a daemon of the host, some time after the task has ended. */
const restart: Effect<OfVm> = ({ lab }, { vmid }) => {
  lab.schedule(RESTART, durations.restartAfterReboot, { vmid });
  return [];
};

/** The transition that ends a reboot. */
export const RESTART = "proxmox.restart";

export const restartTransition: TransitionHandler = (lab, data) => {
  const { vmid } = data as unknown as OfVm;
  const vm = proxmoxState(lab).vms[vmid];
  if (vm && !vm.power) startTask(lab, { type: "qmstart", id: String(vmid), node: vm.node, by: ROOT, steps: startSteps(vmid) });
};

const reset: Effect<OfVm> = ({ lab, state, job }, { vmid }) => {
  const vm = vmOn(state, job.node, vmid);
  tellGuest(lab, vm, false);
  tellGuest(lab, vm, true);
  return [];
};

export const powerEffects = {
  "vm.start": start,
  "vm.started": started,
  "vm.stop": stop,
  "vm.stopped": stopped,
  "vm.shutdown": shutdown,
  "vm.unresponsive": unresponsive,
  "vm.restart": restart,
  "vm.reset": reset,
};
