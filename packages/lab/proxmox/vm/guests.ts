import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import type { Vm } from "../state.ts";
import { AGENT } from "./option-formats.ts";

/** The service that simulates the guests in this lab's machines. */
export interface Guests {
  /** Whether a system is running in the machine that reacts to its power button. */
  isUp(lab: Lab, vmid: number): boolean;
  /** The agent's answer; undefined when the guest has no agent, or not yet. */
  agent(lab: Lab, vmid: number, command: string): Json | undefined;
}

/** Name of the service. */
const GUESTS = "talos";

/** The transition that informs the guest of its machine's power, if a guests' service exists: {vmid, node, on}. */
const MACHINE_POWER = "machine.power";

export function tellGuest(lab: Lab, vm: Vm, on: boolean): void {
  if (lab.handles(MACHINE_POWER)) lab.schedule(MACHINE_POWER, 0, { vmid: vm.vmid, node: vm.node, on });
}

/** The transition for a change of the machine's hardware: {vmid}. */
const MACHINE_CHANGED = "machine.changed";

export function tellChanged(lab: Lab, vm: Vm): void {
  if (vm.power && lab.handles(MACHINE_CHANGED)) lab.schedule(MACHINE_CHANGED, 0, { vmid: vm.vmid });
}

/** Whether the guest is up; undefined without a guests' service. */
export function guestIsUp(lab: Lab, vm: Vm): boolean | undefined {
  return lab.handles(MACHINE_POWER) ? lab.service<Guests>(GUESTS).isUp(lab, vm.vmid) : undefined;
}

/** Whether the machine has an agent device without an answering agent: a shutdown then first waits for the agent. */
export function agentIsSilent(lab: Lab, vm: Vm): boolean {
  return agentEnabled(vm) && agentAnswer(lab, vm, "ping") === undefined;
}

function agentEnabled({ config }: Vm): boolean {
  return config.agent !== undefined && parsePropertyString(AGENT, config.agent, "agent").enabled === "1";
}

/** undefined when there is no answer: no device, no agent, or a machine that has not booted. */
export function agentAnswer(lab: Lab, vm: Vm, command: string): Json | undefined {
  if (!agentEnabled(vm) || !vm.power || vm.power.paused || !lab.handles(MACHINE_POWER)) return undefined;
  return lab.service<Guests>(GUESTS).agent(lab, vm.vmid, command);
}
