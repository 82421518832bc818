import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import type { Vm } from "../state.ts";
import { AGENT } from "./option-formats.ts";

/** Who plays guests in this lab: answers for what runs in a machine. */
export interface Guests {
  /** Something runs in it that reacts to its power button. */
  isUp(lab: Lab, vmid: number): boolean;
  /** undefined when the guest has no agent, or not yet. */
  agent(lab: Lab, vmid: number, command: string): Json | undefined;
}

/** The service of that name. */
const GUESTS = "talos";

/** What a machine's guest hears of its power, if anybody in this lab plays guests: {vmid, node, on}. */
const MACHINE_POWER = "machine.power";

export function tellGuest(lab: Lab, vm: Vm, on: boolean): void {
  if (lab.handles(MACHINE_POWER)) lab.schedule(MACHINE_POWER, 0, { vmid: vm.vmid, node: vm.node, on });
}

/** What it is made of has changed under it: {vmid}. */
const MACHINE_CHANGED = "machine.changed";

export function tellChanged(lab: Lab, vm: Vm): void {
  if (vm.power && lab.handles(MACHINE_CHANGED)) lab.schedule(MACHINE_CHANGED, 0, { vmid: vm.vmid });
}

/** undefined when nobody plays guests: then nobody knows. */
export function guestIsUp(lab: Lab, vm: Vm): boolean | undefined {
  return lab.handles(MACHINE_POWER) ? lab.service<Guests>(GUESTS).isUp(lab, vm.vmid) : undefined;
}

/** The machine has a device for an agent, and none answers: whoever shuts it down asks it first, in vain. */
export function agentIsSilent(lab: Lab, vm: Vm): boolean {
  return agentEnabled(vm) && agentAnswer(lab, vm, "ping") === undefined;
}

function agentEnabled({ config }: Vm): boolean {
  return config.agent !== undefined && parsePropertyString(AGENT, config.agent, "agent").enabled === "1";
}

/** undefined when nobody answers: no device, no program, or a machine that is not that far. */
export function agentAnswer(lab: Lab, vm: Vm, command: string): Json | undefined {
  if (!agentEnabled(vm) || !vm.power || vm.power.paused || !lab.handles(MACHINE_POWER)) return undefined;
  return lab.service<Guests>(GUESTS).agent(lab, vm.vmid, command);
}
