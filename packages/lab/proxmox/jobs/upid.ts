import type { Lab } from "../../kernel/kernel.ts";
import { hostNamed, proxmoxState, seconds } from "../state.ts";
import { type Job, type NewJob, POWER_LOSS, startJob, type Task } from "./job.ts";

export interface Upid {
  node: string;
  pid: number;
  pstart: number;
  starttime: number;
  type: string;
  id: string;
  user: string;
}

const UPID =
  /^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+):$/;

/** UPID:<node>:<pid>:<pstart>:<starttime>:<type>:<id>:<user>: with a colon at the end (docs/facts/proxmox.md#task-ids). */
export function printUpid(upid: Upid): string {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, "0");
  return `UPID:${upid.node}:${hex(upid.pid)}:${hex(upid.pstart)}:${hex(upid.starttime)}:${upid.type}:${upid.id}:${upid.user}:`;
}

export function parseUpid(text: string): Upid | undefined {
  const [, node = "", pid = "", pstart = "", starttime = "", type = "", id = "", user = ""] = UPID.exec(text) ?? [];
  if (node === "") return undefined;
  return {
    node,
    pid: Number.parseInt(pid, 16),
    pstart: Number.parseInt(pstart, 16),
    starttime: Number.parseInt(starttime, 16),
    type,
    id,
    user,
  };
}

export interface NewTask extends NewJob {
  type: string;
  /** The subject of the task; may be empty. */
  id: string;
}

const FIRST_PID = 1000;
const CLOCK_TICKS_A_SECOND = 100;
/** Time of a strike during a creating task, in virtual milliseconds: its config is written, its disks are not yet. */
const IN_THE_MIDDLE = 1000;

/** Starts a worker with a visible task. */
export function startTask(lab: Lab, { type, id, ...job }: NewTask): Job & { upid: string } {
  const state = proxmoxState(lab);
  const host = hostNamed(state, job.node);
  const parts: Upid = {
    node: job.node,
    pid: FIRST_PID + lab.serial(`proxmox pid ${job.node}`),
    pstart: Math.floor(((lab.now() - (host?.bootedAt ?? 0)) / 1000) * CLOCK_TICKS_A_SECOND),
    starttime: seconds(lab),
    type,
    id: encodeURIComponent(id),
    user: job.by,
  };
  const upid = printUpid(parts);
  const task: Task = { upid, ...parts, log: [], warnings: 0 };
  state.tasks.push(task);
  if (state.fallsDuring?.host === job.node && state.fallsDuring.task === type) {
    delete state.fallsDuring;
    lab.schedule(POWER_LOSS, IN_THE_MIDDLE, { host: job.node });
  }
  return Object.assign(startJob(lab, { ...job, upid }), { upid });
}
