import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { type VmConfig, type VmSummary, vmConfig, vms } from "./client/qemu.ts";
import { type RunningTask, runningTasks } from "./client/tasks.ts";

export type FoundVm = VmSummary & { config: VmConfig };

const LIMIT_MS = 15 * 60_000;

/**
 * Reads a VM once nobody is making it and no task of ours is at work on it any more. While it is created or cloned it exists without a
 * mark; if its task has died, it stays so for ever ("stuck") and only root can remove it.
 */
export async function settledVm(
  client: ProxmoxClient,
  c: Read,
  host: string,
  vmid: number,
): Promise<FoundVm | "absent" | "stuck"> {
  let seen: FoundVm | "absent" | "stuck" | "busy" = "busy";
  await c.until({
    name: `VM ${vmid} is settled`,
    timeoutMs: LIMIT_MS,
    poll: async () => {
      seen = await look(client, c, host, vmid);
      return seen === "busy" ? { reason: `a task on ${host} is still running on it` } : true;
    },
  });
  return seen as Exclude<typeof seen, "busy">;
}

async function look(client: ProxmoxClient, c: Read, host: string, vmid: number): Promise<FoundVm | "absent" | "stuck" | "busy"> {
  const isAbout = (task: RunningTask) => task.id === String(vmid);
  try {
    // Asked for before the VM is read: what was over by then is to be seen on it.
    const before = await runningTasks(client, host, c.signal);
    if (before.some((task) => task.owner === client.identity && isAbout(task))) return "busy";
    const vm = await read(client, c, host, vmid);
    if (!vm) return "absent";
    if (!isUnfinished(vm)) return vm;
    const tasks = await runningTasks(client, host, c.signal);
    // A clone's task names its source, so any of them may be the one.
    if (tasks.some((task) => (task.type === "qmcreate" && isAbout(task)) || task.type === "qmclone")) return "busy";
    // The task may have ended between the two looks.
    const again = await read(client, c, host, vmid);
    if (!again) return "absent";
    return isUnfinished(again) ? "stuck" : again;
  } catch (error) {
    // Listed a moment ago and gone when read: it is being made or removed right now.
    if (refusalOf(error)?.reason.includes("does not exist")) return "busy";
    throw error;
  }
}

async function read(client: ProxmoxClient, c: Read, host: string, vmid: number): Promise<FoundVm | undefined> {
  const vm = (await vms(client, host, c.signal)).find((one) => one.vmid === vmid);
  return vm && { ...vm, config: await vmConfig(client, host, vmid, c.signal) };
}

function isUnfinished(vm: FoundVm): boolean {
  const lock = vm.lock ?? vm.config.live.lock;
  return lock === "create" || lock === "clone";
}
