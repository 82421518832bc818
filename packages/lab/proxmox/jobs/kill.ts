import type { Lab } from "../../kernel/kernel.ts";
import { type ProxmoxState, seconds } from "../state.ts";
import type { Job } from "./job.ts";
import { unlock } from "./lock.ts";

/** The result of a task whose worker was killed (docs/facts/proxmox.md#task-results). */
export const KILLED = "unexpected status";

/** Kills a worker: nothing is undone or logged. The system releases its lock files; written state, such as `lock` in a machine's config, stays. */
export function killJob(lab: Lab, state: ProxmoxState, job: Job): void {
  for (const path of [...job.holds]) unlock(lab, state, job, path);
  job.steps = [];
  job.outcome = { ok: false, status: 596, message: "Connection timed out" };
  if (job.upid === undefined) return;
  const task = state.tasks.findLast((known) => known.upid === job.upid);
  if (task) {
    task.endtime = seconds(lab);
    task.exitstatus = KILLED;
  }
  state.jobs = state.jobs.filter((known) => known !== job);
}
