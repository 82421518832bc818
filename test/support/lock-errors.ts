import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import type { ProxmoxState } from "@talosmith/lab/proxmox/state.ts";

/** Proxmox's errors when a worker did not get a lock, or found one in a config (docs/facts/proxmox.md#locks). */
const LOCK = /got timeout|got lock request timeout|-locked command timed out|VM is locked/;

/** Number of lock time-outs in a lab's Proxmox: in responses, and in tasks. */
export function lockErrors(lab: RunningLab): number {
  const { tasks } = lab.state<ProxmoxState>("proxmox");
  const refused = lab.recorder.calls().filter((call) => call.mutating && call.status === 500);
  return refused.length + tasks.filter((task) => LOCK.test(task.exitstatus ?? "")).length;
}
