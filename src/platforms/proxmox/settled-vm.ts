import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { type VmConfig, type VmSummary, vmAlone, vmConfig, vms } from "./client/qemu.ts";
import { type RunningTask, runningTasks } from "./client/tasks.ts";

export type FoundVm = VmSummary & { config: VmConfig };

const LIMIT_MS = 15 * 60_000;

/** Facts that save calls. */
export interface KnownOfVm {
  /** No task of this login is running on it: this command waited for those of earlier runs, and for all of its own. */
  hasNoTask?: boolean;
  /** This command created it, and no task is running on it: it is read alone. A list is needed to prove that a VM is absent. */
  exists?: boolean;
}

/**
 * Reads a VM when it is complete and no task of this login is running on it. While it is created or cloned it exists without a mark; when its task
 * dies, it stays incomplete ("stuck") and only root can remove it.
 */
export async function settledVm(
  client: ProxmoxClient,
  c: Read,
  host: string,
  vmid: number,
  known: KnownOfVm = {},
): Promise<FoundVm | "absent" | "stuck"> {
  const alone = known.exists ? await readAlone(client, c, host, vmid) : undefined;
  if (alone && !isUnfinished(alone)) return alone;
  let seen: FoundVm | "absent" | "stuck" | "busy" = "busy";
  await c.until({
    name: `VM ${vmid} is settled`,
    timeoutMs: LIMIT_MS,
    poll: async () => {
      seen = await look(client, c, host, vmid, known.hasNoTask === true);
      return seen === "busy" ? { reason: `a task on ${host} is still running on it` } : true;
    },
  });
  return seen as Exclude<typeof seen, "busy">;
}

async function look(
  client: ProxmoxClient,
  c: Read,
  host: string,
  vmid: number,
  hasNoTask: boolean,
): Promise<FoundVm | "absent" | "stuck" | "busy"> {
  const isAbout = (task: RunningTask) => task.id === String(vmid);
  try {
    // Tasks are read before the VM, so that the VM shows the results of finished ones.
    const before = hasNoTask ? [] : await runningTasks(client, host, c.signal);
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

/** Undefined when it does not exist: the full look decides what that means. */
async function readAlone(client: ProxmoxClient, c: Read, host: string, vmid: number): Promise<FoundVm | undefined> {
  try {
    const summary = await vmAlone(client, host, vmid, c.signal);
    return { ...summary, config: await vmConfig(client, host, vmid, c.signal) };
  } catch (error) {
    if (refusalOf(error)?.reason.includes("does not exist")) return undefined;
    throw error;
  }
}

function isUnfinished(vm: FoundVm): boolean {
  const lock = vm.lock ?? vm.config.live.lock;
  return lock === "create" || lock === "clone";
}
