import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { type VmConfig, type VmSummary, vmConfig, vms } from "./client/qemu.ts";
import { type RunningTask, runningTasks } from "./client/tasks.ts";

export type FoundVm = VmSummary & { config: VmConfig };

const LIMIT_MS = 15 * 60_000;

/**
 * Reads a VM when it is complete and no task of this login is running on it. While it is created or cloned it exists without a mark; when its task
 * dies, it stays incomplete ("stuck") and only root can remove it.
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
    // Tasks are read before the VM, so that the VM shows the results of finished ones.
    const before = await runningTasks(client, host, c.signal);
    if (before.some((task) => task.owner === client.identity && isAbout(task))) return "busy";
    const vm = await read(client, c, host, vmid);
    if (!vm) return "absent";
    if (!isUnfinished(vm)) return vm;
    const tasks = await runningTasks(client, host, c.signal);
    // A clone's task names its source, so any clone task may be for this VM.
    if (tasks.some((task) => (task.type === "qmcreate" && isAbout(task)) || task.type === "qmclone")) return "busy";
    // The task may have ended between the two reads.
    const again = await read(client, c, host, vmid);
    if (!again) return "absent";
    return isUnfinished(again) ? "stuck" : again;
  } catch (error) {
    // It was listed but has no config: it is being created or removed right now.
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
