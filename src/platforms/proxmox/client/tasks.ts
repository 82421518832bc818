import { remoteError } from "@talosmith/lib/errors.ts";
import type { Condition, Read } from "../../../engine/step.ts";
import type { ProxmoxClient } from "./client.ts";
import { hostName, list, object, requiredText, text } from "./loose.ts";
import { isLockTimeout, refusalOf } from "./refusal.ts";

const LOG_LINES = 8;
/** How long, and for how many polls, a task may be missing: it has just begun, or is just ending. */
const VANISHED_MS = 3_000;
const VANISHED_LOOKS = 5;

export interface RunningTask {
  upid: string;
  type: string;
  id: string;
  /** "user@realm!token", or "user@realm" when it was started with a password. */
  owner: string;
}

/** The path of a task on the host named in its id. */
function pathOf(upid: string): string {
  return `/nodes/${hostName(upid.split(":")[1], "a task's host")}/tasks/${encodeURIComponent(upid)}`;
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

const VANISHED = "unexpected status";

/** The exit status of a task; undefined while it runs. */
async function exitOf(client: ProxmoxClient, upid: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const status = object(await client.get(`${pathOf(upid)}/status`, {}, signal), "a task's status");
    return text(status.status) === "running" ? undefined : (text(status.exitstatus) ?? VANISHED);
  } catch (error) {
    // A task that was started a moment ago may not be in the list yet.
    if (refusalOf(error)?.errors.upid?.includes("no such task")) return VANISHED;
    throw error;
  }
}

async function logOf(client: ProxmoxClient, upid: string, signal: AbortSignal): Promise<string[]> {
  const lines = list(await client.get(`${pathOf(upid)}/log`, { limit: 0 }, signal), "a task's log");
  return lines.map((line) => text(line.t) ?? "").filter((line) => line !== "");
}

/** Reads the exit status from the log's last line: the API's worker process caches the first status it saw, even an early one. */
async function exitInLog(client: ProxmoxClient, upid: string, signal: AbortSignal): Promise<string> {
  const lines = await logOf(client, upid, signal).catch(() => []);
  const [, end, error] = /^TASK (OK|WARNINGS: \d+|ERROR: (.*))$/.exec(lines.at(-1) ?? "") ?? [];
  return error ?? end ?? VANISHED;
}

const succeeded = (exit: string) => exit === "OK" || /^WARNINGS: \d+$/.test(exit);

/** How long the last task of a kind took on a host, by "qmcreate pve1". */
const lastTimes = new WeakMap<ProxmoxClient, Map<string, number>>();

function timesOf(client: ProxmoxClient): Map<string, number> {
  const times = lastTimes.get(client) ?? new Map<string, number>();
  lastTimes.set(client, times);
  return times;
}

/** Waits for a task to succeed and returns its warnings. The error of a failed task contains the last lines of its log. */
export async function taskDone(client: ProxmoxClient, c: Read, upid: string, what: string, timeoutMs: number): Promise<string[]> {
  const [, node, , , , type] = upid.split(":");
  const times = timesOf(client);
  const kind = `${type} ${node}`;
  const started = c.world.clock.monotonic();
  let vanished: number | undefined;
  let looks = 0;
  let end = "";
  const finished: Condition = {
    name: `the task to ${what} is done`,
    timeoutMs,
    usualMs: times.get(kind),
    async poll() {
      const exit = await exitOf(client, upid, c.signal);
      if (exit === undefined) {
        vanished = undefined;
        looks = 0;
        return { reason: `${type} is running on ${node}` };
      }
      end = exit;
      if (exit === VANISHED) {
        const now = c.world.clock.monotonic();
        vanished ??= now;
        if (++looks < VANISHED_LOOKS || now - vanished < VANISHED_MS) return { reason: `${type} is not listed on ${node}` };
        end = await exitInLog(client, upid, c.signal);
      }
      return true;
    },
  };
  await c.until(finished);
  times.set(kind, c.world.clock.monotonic() - started);
  if (!succeeded(end)) throw await taskFailed(client, c, upid, what, end);
  return end === "OK" ? [] : warningsOf(client, c, upid, what);
}

/** The warnings of a task that succeeded. */
async function warningsOf(client: ProxmoxClient, c: Read, upid: string, what: string): Promise<string[]> {
  const lines = await logOf(client, upid, c.signal).catch(() => []);
  const warnings = lines.flatMap((line) => /^WARN: (.*)$/.exec(line)?.[1] ?? []);
  for (const warning of warnings) c.say(`Proxmox warns (${what}): ${warning}`);
  return warnings;
}

async function taskFailed(client: ProxmoxClient, c: Read, upid: string, what: string, exit: string) {
  const lines = await logOf(client, upid, c.signal).catch(() => []);
  const [, host = ""] = upid.split(":");
  // Some privileges are checked by the task, not by the call that starts it.
  const forbidden = exit.includes("Permission check failed");
  const advice = forbidden ? await client.advice({ status: 403, reason: exit, errors: {} }, "POST", "") : undefined;
  return remoteError(forbidden ? "PROXMOX_PERMISSION" : "PROXMOX_TASK", {
    message: `Unable to ${what}`,
    detail: [`the task on ${host} ended with: ${exit}`, ...lines.slice(-LOG_LINES).map((line) => `  ${line}`)].join("\n"),
    hint: advice ?? `the whole log is in the Proxmox UI under this task: ${upid}`,
    cause: exit,
    transient: isLockTimeout(exit) || exit === VANISHED,
  });
}
