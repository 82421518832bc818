import type { Lab } from "../../kernel/kernel.ts";
import { died, SimulatedError } from "../refusal.ts";
import { Later } from "../routes/route.ts";
import { proxmoxState } from "../state.ts";
import { type Job, jobById } from "./job.ts";

/**
 * Time after which the proxy stops waiting for its daemon (docs/facts/proxmox.md#forwarding-timeout): the work continues, and its result is not
 * reported.
 */
const PROXY_PATIENCE = 30_000;

/** Answers the call with the worker's result when it has ended. */
export function whenDone(lab: Lab, { id }: Job): Later {
  const until = lab.now() + PROXY_PATIENCE;
  return new Later(() => {
    const state = proxmoxState(lab);
    const job = jobById(state, id);
    if (!job) throw died("the lab was restored to a time before this call");
    const { outcome } = job;
    if (!outcome) {
      if (lab.now() >= until) throw new SimulatedError(596, "Connection timed out");
      return undefined;
    }
    state.jobs = state.jobs.filter((known) => known !== job);
    if (!outcome.ok) throw new SimulatedError(outcome.status, outcome.message, outcome.errors);
    return { data: job.memo.answer ?? null };
  });
}

/** Answers the call with null when its task succeeds within this time, and with the task's id otherwise. */
export function whenDoneWithin(lab: Lab, upid: string, ms: number, complaint: string): Later {
  const until = lab.now() + ms;
  return new Later(() => {
    const status = proxmoxState(lab).tasks.findLast((task) => task.upid === upid)?.exitstatus;
    if (status === undefined) return lab.now() < until ? undefined : { data: upid };
    if (status !== "OK" && !/^WARNINGS: \d+$/.test(status)) throw died(`${complaint}${status}`);
    return { data: null };
  });
}
