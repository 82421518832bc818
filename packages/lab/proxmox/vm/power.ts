import type { Json } from "@talosmith/lib/json.ts";
import type { Lab, TransitionHandler } from "../../kernel/kernel.ts";
import { ROOT } from "../access/acl.ts";
import { preparePassthrough } from "../devices/passthrough.ts";
import { durations } from "../durations.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { died } from "../refusal.ts";
import { type ProxmoxState, proxmoxState, type Vm } from "../state.ts";
import { generateCloudInit } from "./cloud-init.ts";
import { isRunning, isTemplate, requireUnlocked, vmOn } from "./config.ts";
import { drivesOf, volumeOf } from "./disks.ts";
import { agentIsSilent, guestIsUp, tellGuest } from "./guests.ts";
import { applyPending } from "./pending.ts";
import { beforeChange } from "./seen.ts";
import { requireStartable } from "./startable.ts";

/** The one place where a machine begins or ceases to run. */
export function setPower({ lab, state }: Pick<Run, "lab" | "state">, vm: Vm, on: boolean): void {
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

interface OfVm {
  vmid: number;
}

/** Starting a running machine fails in the task, not in the call (docs/facts/proxmox.md#power). */
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
  generateCloudInit(vm);
  requireStartable(state, vm);
  const pci = preparePassthrough(state, vm);
  setPower(run, vm, true);
  if (vm.power && pci.length > 0) vm.power.pci = pci;
  return [];
};

const stop: Effect<OfVm> = ({ state, job }, { vmid }) => {
  if (!isRunning(state, job.node, vmid)) return [];
  requireUnlocked(vmOn(state, job.node, vmid));
  return [{ after: durations.stop }, { become: "vm.stopped", with: { vmid } }];
};

const stopped: Effect<OfVm> = (run, { vmid }) => {
  const vm = vmOn(run.state, run.job.node, vmid);
  if (!vm.power) return [];
  setPower(run, vm, false);
  // What waited for a power cycle comes when Proxmox has stopped the machine, not only when it starts it (QemuServer.pm, vm_stop_cleanup).
  applyPending(run.state, vm);
  return [];
};

const shutdown: Effect<Shutdown> = ({ lab, state, job }, { vmid, limit, force }) => {
  if (!isRunning(state, job.node, vmid)) return [];
  const vm = vmOn(state, job.node, vmid);
  requireUnlocked(vm);
  const down: Json = { vmid };
  const ping: Step[] = agentIsSilent(lab, vm) ? [{ after: durations.agentPing }] : [];
  if (reacts(lab, state, vm) && limit >= durations.shutdown)
    return [...ping, { after: durations.shutdown }, { become: "vm.stopped", with: down }];
  if (!force) return [...ping, { after: limit }, { become: "vm.unresponsive", with: down }];
  return [
    ...ping,
    { after: limit },
    { say: "VM quit/powerdown failed - got timeout" },
    { say: "VM still running - terminating now with SIGTERM" },
    { after: durations.stop },
    { become: "vm.stopped", with: down },
  ];
};

/** A machine in which nothing runs never reacts to its power button. */
function reacts(lab: Lab, state: ProxmoxState, vm: Vm): boolean {
  const known = guestIsUp(lab, vm);
  if (known !== undefined) return known;
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

/** Its processors stop, and go on. */
const paused: Effect<OfVm & { on: boolean }> = ({ state, job }, { vmid, on }) => {
  const vm = vmOn(state, job.node, vmid);
  requireUnlocked(vm);
  if (!vm.power) throw died(`VM ${vmid} not running`);
  if (on) vm.power.paused = true;
  else delete vm.power.paused;
  return [];
};

/** High availability does it in its own time: it is asked to, and then starts or stops the machine itself. */
const requested: Effect<OfVm & { to: "started" | "stopped" }> = ({ lab, state }, { vmid, to }) => {
  const resource = state.ha.resources[`vm:${vmid}`];
  if (resource) resource.state = to;
  lab.schedule(HA_ACTS, durations.highAvailability, { vmid, to });
  return [];
};

/** The transition in which high availability does what it was asked to. */
export const HA_ACTS = "proxmox.ha";

export const haTransition: TransitionHandler = (lab, data) => {
  const { vmid, to } = data as unknown as OfVm & { to: string };
  const vm = proxmoxState(lab).vms[vmid];
  if (!vm || (vm.power !== undefined) === (to === "started")) return;
  const [type, steps] =
    to === "started" ? ["qmstart", startSteps(vmid)] : ["qmshutdown", shutdownSteps({ vmid, limit: 60_000, force: true })];
  startTask(lab, { type: type as string, id: String(vmid), node: vm.node, by: ROOT, steps: steps as Step[] });
};

/** PUT …/cloudinit: the drive is written anew under the running machine. */
const cloudInit: Effect<OfVm> = ({ state, job }, { vmid }) => {
  const vm = vmOn(state, job.node, vmid);
  requireUnlocked(vm);
  generateCloudInit(vm);
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
  "vm.cloudinit": cloudInit,
  "vm.reset": reset,
  "vm.paused": paused,
  "vm.ha": requested,
};
