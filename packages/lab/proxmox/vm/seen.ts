import type { Lab } from "../../kernel/kernel.ts";
import { durations } from "../durations.ts";
import type { BroadcastStatus, ProxmoxState, Vm } from "../state.ts";
import { cpusOf, memoryOf, nameOf } from "./config.ts";
import { bootDiskSize } from "./disks.ts";

/**
 * The number of the last broadcast. Hosts broadcast the state of their machines every ten seconds, and summaries show the last broadcast
 * (docs/facts/proxmox.md#cluster-resources). No timer is needed: the state at the last broadcast is stored just before it changes, or when it is
 * read.
 */
function tickOf(lab: Lab, node: string): number {
  const offset = Math.floor(lab.chance("proxmox broadcast", node) * durations.broadcast);
  return Math.floor((lab.now() + offset) / durations.broadcast);
}

function look(state: ProxmoxState, vm: Vm): BroadcastStatus {
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

/** Call it before anything about a machine changes. */
export function beforeChange(lab: Lab, state: ProxmoxState, vm: Vm): void {
  const tick = tickOf(lab, vm.node);
  if (vm.seenTick < tick) {
    vm.seen = look(state, vm);
    vm.seenTick = tick;
  }
}

/** undefined for a machine that no broadcast has included yet. */
export function lastSeen(lab: Lab, state: ProxmoxState, vm: Vm): BroadcastStatus | undefined {
  beforeChange(lab, state, vm);
  return vm.seen;
}

/** A new machine, which summaries do not show before the next broadcast. */
export function newVm(lab: Lab, vmid: number, node: string, config: Record<string, string>): Vm {
  return { vmid, node, config, pending: {}, pendingDelete: {}, seenTick: tickOf(lab, node) };
}
