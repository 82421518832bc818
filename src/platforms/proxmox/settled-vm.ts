import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { type VmConfig, type VmSummary, vmConfig, vms } from "./client/qemu.ts";
import { runningTasks } from "./client/tasks.ts";

export type FoundVm = VmSummary & { config: VmConfig };

const LIMIT_MS = 15 * 60_000;

/**
 * Reads a VM once nobody is making it any more. While it is created or cloned it exists without a mark; if its task has died, it
 * stays so for ever ("stuck") and only root can remove it.
 */
export async function settledVm(
  client: ProxmoxClient,
  c: Read,
  host: string,
  vmid: number,
): Promise<FoundVm | "absent" | "stuck"> {
  let seen: FoundVm | "absent" | "stuck" | "being made" = "being made";
  await c.until({
    name: `VM ${vmid} is made`,
    timeoutMs: LIMIT_MS,
    poll: async () => {
      seen = await look(client, c, host, vmid);
      return seen === "being made" ? { reason: `a task on ${host} is still making it` } : true;
    },
  });
  return seen as Exclude<typeof seen, "being made">;
}

async function look(
  client: ProxmoxClient,
  c: Read,
  host: string,
  vmid: number,
): Promise<FoundVm | "absent" | "stuck" | "being made"> {
  try {
    const vm = await read(client, c, host, vmid);
    if (!vm) return "absent";
    if (!isUnfinished(vm)) return vm;
    const tasks = await runningTasks(client, host, c.signal);
    // A clone's task names its source, so any of them may be the one.
    if (tasks.some((task) => (task.type === "qmcreate" && task.id === String(vmid)) || task.type === "qmclone"))
      return "being made";
    // The task may have ended between the two looks.
    const again = await read(client, c, host, vmid);
    if (!again) return "absent";
    return isUnfinished(again) ? "stuck" : again;
  } catch (error) {
    // Listed a moment ago and gone when read: it is being made or removed right now.
    if (refusalOf(error)?.reason.includes("does not exist")) return "being made";
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
