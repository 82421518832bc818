import type { Json } from "@talosmith/lib/json.ts";
import type { Lab, TransitionHandler } from "../../kernel/kernel.ts";
import { ROOT } from "../access/acl.ts";
import { preparePassthrough } from "../devices/passthrough.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
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

/** Starts or ends a machine's process; the only place where that happens. */
export function setPower({ lab, state }: Pick<Run, "lab" | "state">, vm: Vm, on: boolean): void {
  beforeChange(lab, state, vm);
  if (on) vm.power = { pid: 100_000 + lab.serial(`proxmox kvm ${vm.node}`), since: lab.now() };
  else delete vm.power;
  tellGuest(lab, vm, on);
}

/** Handles a guest that switches off its own machine. */
export function guestPoweredOff(lab: Lab, vmid: number): void {
  const state = proxmoxState(lab);
  const vm = state.vms[vmid];
  if (vm?.power) setPower({ lab, state }, vm, false);
}

interface OfVm {
  vmid: number;
}

/** Starting a running machine fails in the task, not in the call (docs/facts/proxmox.md#power). */
export function startSteps(vmid: number): JobStep[] {
  return [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { become: "vm.start", with: { vmid } },
    { fail: `VM ${vmid} already running`, when: { running: vmid } },
    { after: durations.start },
    { become: "vm.started", with: { vmid } },
  ];
}

export function stopSteps(vmid: number): JobStep[] {
  return [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { become: "vm.stop", with: { vmid } },
  ];
}

export interface Shutdown extends OfVm {
  /** The guest's time limit in milliseconds. */
  limit: number;
  force: boolean;
}

/** The lock is held until the guest is down: other changes to the machine wait. */
export function shutdownSteps(shutdown: Shutdown): JobStep[] {
  return [
    { lock: configLock(shutdown.vmid), waitMs: CONFIG_WAIT },
    { become: "vm.shutdown", with: { ...shutdown } },
  ];
}

/** The machine runs again some time after the task has ended. */
export function rebootSteps(shutdown: Shutdown): JobStep[] {
  return [...shutdownSteps(shutdown), { become: "vm.restart", with: { vmid: shutdown.vmid } }];
}

export function resetSteps(vmid: number): JobStep[] {
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
  // Pending changes are applied when Proxmox has stopped the machine, not only when it starts it (QemuServer.pm, vm_stop_cleanup).
  applyPending(run.state, vm);
  return [];
};

const shutdown: Effect<Shutdown> = ({ lab, state, job }, { vmid, limit, force }) => {
  if (!isRunning(state, job.node, vmid)) return [];
  const vm = vmOn(state, job.node, vmid);
  requireUnlocked(vm);
  const down: Json = { vmid };
  const ping: JobStep[] = agentIsSilent(lab, vm) ? [{ after: durations.agentPing }] : [];
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

/** Whether the guest reacts to the power button; an empty machine never does. */
function reacts(lab: Lab, state: ProxmoxState, vm: Vm): boolean {
  const known = guestIsUp(lab, vm);
  if (known !== undefined) return known;
  return drivesOf(vm.config).some(({ drive }) => volumeOf(state, vm.node, drive)?.sha256 !== undefined);
}

const unresponsive: Effect<OfVm> = () => {
  throw died("VM quit/powerdown failed - got timeout");
};

/** Restarts the machine some time after the task has ended, as a daemon of the host does. */
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

/** Stops or continues the machine's processors. */
const paused: Effect<OfVm & { on: boolean }> = ({ state, job }, { vmid, on }) => {
  const vm = vmOn(state, job.node, vmid);
  requireUnlocked(vm);
  if (!vm.power) throw died(`VM ${vmid} not running`);
  if (on) vm.power.paused = true;
  else delete vm.power.paused;
  return [];
};

/** Requests a state from high availability, which later starts or stops the machine itself. */
const requested: Effect<OfVm & { to: "started" | "stopped" }> = ({ lab, state }, { vmid, to }) => {
  const resource = state.ha.resources[`vm:${vmid}`];
  if (resource) resource.state = to;
  lab.schedule(HA_ACTS, durations.highAvailability, { vmid, to });
  return [];
};

/** The transition in which high availability acts. */
export const HA_ACTS = "proxmox.ha";

export const haTransition: TransitionHandler = (lab, data) => {
  const { vmid, to } = data as unknown as OfVm & { to: string };
  const vm = proxmoxState(lab).vms[vmid];
  if (!vm || (vm.power !== undefined) === (to === "started")) return;
  const [type, steps] =
    to === "started" ? ["qmstart", startSteps(vmid)] : ["qmshutdown", shutdownSteps({ vmid, limit: 60_000, force: true })];
  startTask(lab, { type: type as string, id: String(vmid), node: vm.node, by: ROOT, steps: steps as JobStep[] });
};

/** PUT …/cloudinit: writes the drive again while the machine runs. */
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
