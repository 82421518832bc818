import type { Lab } from "../../kernel/kernel.ts";
import { durations } from "../durations.ts";
import type { ProxmoxState, Seen, Vm } from "../state.ts";
import { cpusOf, memoryOf, nameOf } from "./config.ts";
import { bootDiskSize } from "./disks.ts";

/**
 * Hosts tell each other about their machines every ten seconds; summaries show the last broadcast (docs/facts/proxmox.md#cluster-resources). No
 * clock has to tick for that: what was true at the last broadcast is written down just before it changes, or when asked.
 */
function tickOf(lab: Lab, node: string): number {
  const offset = Math.floor(lab.chance("proxmox broadcast", node) * durations.broadcast);
  return Math.floor((lab.now() + offset) / durations.broadcast);
}

function look(state: ProxmoxState, vm: Vm): Seen {
  return {
    status: vm.power ? "running" : "stopped",
    name: nameOf(vm),
    ...(vm.power && { since: vm.power.since }),
    maxmem: memoryOf(vm.config) * 1024 ** 2,
    maxcpu: cpusOf(vm.config),
    maxdisk: bootDiskSize(state, vm),
    template: vm.config.template === "1",
  };
}

/** Call before anything about a machine changes. */
export function beforeChange(lab: Lab, state: ProxmoxState, vm: Vm): void {
  const tick = tickOf(lab, vm.node);
  if (vm.seenTick < tick) {
    vm.seen = look(state, vm);
    vm.seenTick = tick;
  }
}

/** undefined for a machine no broadcast has mentioned yet. */
export function lastSeen(lab: Lab, state: ProxmoxState, vm: Vm): Seen | undefined {
  beforeChange(lab, state, vm);
  return vm.seen;
}

/** A machine that comes into being, unknown to all until the next broadcast. */
export function newVm(lab: Lab, vmid: number, node: string, config: Record<string, string>): Vm {
  return { vmid, node, config, pending: {}, pendingDelete: {}, seenTick: tickOf(lab, node) };
}
