import type { Condition, Read } from "../../../engine/step.ts";
import { remoteError } from "../../../lib/errors.ts";
import { isLockTimeout, type ProxmoxClient, refusalOf } from "./client.ts";
import { list, object, requiredText, text } from "./loose.ts";

const LOG_LINES = 8;

export interface RunningTask {
  upid: string;
  type: string;
  id: string;
  /** "user@realm!token" */
  owner: string;
}

/** A task must be asked for on the host named in its id. */
function pathOf(upid: string): string {
  return `/nodes/${upid.split(":")[1]}/tasks/${encodeURIComponent(upid)}`;
}

/** GET /nodes/{node}/tasks?source=active */
export async function runningTasks(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<RunningTask[]> {
  const items = list(await client.get(`/nodes/${host}/tasks`, { source: "active", limit: 1000 }, signal), `the tasks of ${host}`);
  return items
    .filter((item) => text(item.endtime) === undefined)
    .map((item) => {
      const upid = requiredText(item.upid, "a task's id");
      const [, , , , , type = "", id = "", owner = ""] = upid.split(":");
      return { upid, type, id, owner };
    });
}

type TaskState = { running: true } | { running: false; exit: string };

async function taskState(client: ProxmoxClient, upid: string, signal: AbortSignal): Promise<TaskState> {
  try {
    const status = object(await client.get(`${pathOf(upid)}/status`, {}, signal), "a task's status");
    if (text(status.status) === "running") return { running: true };
    return { running: false, exit: text(status.exitstatus) ?? "unexpected status" };
  } catch (error) {
    // A task that was started a moment ago may not be in the list yet.
    if (refusalOf(error)?.errors.upid?.includes("no such task")) return { running: false, exit: "unexpected status" };
    throw error;
  }
}

const succeeded = (exit: string) => exit === "OK" || /^WARNINGS: \d+$/.test(exit);

/** Waits for a task to end well. Its log's last lines are in the error when it does not. */
export async function taskDone(client: ProxmoxClient, c: Read, upid: string, what: string, timeoutMs: number): Promise<void> {
  let unexpected = 0;
  const finished: Condition = {
    name: what,
    timeoutMs,
    async poll() {
      const state = await taskState(client, upid, c.signal);
      if (state.running) return { reason: `task ${upid.split(":")[5]} is running on ${upid.split(":")[1]}` };
      // Right at its end a task can look as if it had vanished; believe that only when it stays so.
      if (state.exit === "unexpected status" && ++unexpected < 5) return { reason: "the task is ending" };
      if (succeeded(state.exit)) return true;
      throw await taskFailed(client, c, upid, what, state.exit);
    },
  };
  await c.until(finished);
}

async function taskFailed(client: ProxmoxClient, c: Read, upid: string, what: string, exit: string) {
  const lines = await client.get(`${pathOf(upid)}/log`, { limit: 0 }, c.signal).then(
    (log) => list(log, "a task's log").map((line) => text(line.t) ?? ""),
    () => [],
  );
  return remoteError("PROXMOX_TASK", {
    message: `Unable to ${what}`,
    detail: [`the task on ${upid.split(":")[1]} ended with: ${exit}`, ...lines.slice(-LOG_LINES).map((line) => `  ${line}`)].join(
      "\n",
    ),
    hint: `the whole log is in the Proxmox UI under this task: ${upid}`,
    cause: exit,
    transient: isLockTimeout(exit) || exit === "unexpected status",
  });
}
