import type { Finding, Read } from "../../engine/step.ts";
import { runningTasks } from "./client/tasks.ts";
import { type FoundVm, settledVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

const WAIT_MS = 15 * 60_000;

/** The lock of a VM. A suspended machine is locked too, but wakes up when it is switched on. */
function lockOf(vm: FoundVm): string | undefined {
  const lock = vm.lock ?? vm.config.live.lock;
  return lock === "suspended" ? undefined : lock;
}

/** Notes about a lock when the machine needs no change. */
export function lockNotes(name: string, vm: FoundVm): Finding[] {
  const lock = lockOf(vm);
  if (lock === undefined) return [];
  return [
    { level: "warn", code: "VM_LOCKED", message: `${name}: VM ${vm.vmid} on ${vm.host} is locked (${lock})`, hint: unlock(vm) },
  ];
}

/** Waits until a VM is unlocked. When no task is running on it, the lock was left behind, and only root can remove it. */
export async function unlocked(site: Site, c: Read, name: string, vm: FoundVm): Promise<Finding[]> {
  if (lockOf(vm) === undefined) return [];
  let left: FoundVm | undefined;
  await c.until({
    name: `VM ${vm.vmid} is not locked`,
    timeoutMs: WAIT_MS,
    poll: async () => {
      left = undefined;
      const now = await settledVm(site.client, c, vm.host, vm.vmid);
      if (typeof now === "string" || lockOf(now) === undefined) return true;
      const tasks = await runningTasks(site.client, vm.host, c.signal);
      // The task of a backup of several VMs names none of them.
      const busy = tasks.find((task) => task.id === String(vm.vmid) || (task.type === "vzdump" && task.id === ""));
      if (busy) return { reason: `task ${busy.type} of ${busy.owner} is running on it` };
      left = now;
      return true;
    },
  });
  if (!left) return [];
  const message = `${name}: VM ${left.vmid} on ${left.host} is locked (${lockOf(left)}), but no task is running on it`;
  return [{ level: "fail", code: "VM_LOCKED", message, hint: unlock(left) }];
}

function unlock({ host, vmid }: FoundVm): string {
  return `when no task is running on it, as root on ${host}:  qm unlock ${vmid}`;
}
