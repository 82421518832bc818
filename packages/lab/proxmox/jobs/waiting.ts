import type { Lab } from "../../kernel/kernel.ts";
import { died, Refusal } from "../refusal.ts";
import { Later } from "../routes/route.ts";
import { proxmoxState } from "../state.ts";
import { type Job, jobById } from "./job.ts";

/** As long as the proxy waits for the daemon behind it (docs/facts/proxmox.md#forwarding-timeout): the work goes on, and its end is not reported. */
const PROXY_PATIENCE = 30_000;

/** The call is answered when its worker is done, with what that left as its answer. */
export function whenDone(lab: Lab, { id }: Job): Later {
  const until = lab.now() + PROXY_PATIENCE;
  return new Later(() => {
    const state = proxmoxState(lab);
    const job = jobById(state, id);
    if (!job) throw died("the lab was taken back to a time before this call");
    const { outcome } = job;
    if (!outcome) {
      if (lab.now() >= until) throw new Refusal(596, "Connection timed out");
      return undefined;
    }
    state.jobs = state.jobs.filter((known) => known !== job);
    if (!outcome.ok) throw new Refusal(outcome.status, outcome.message, outcome.errors);
    return { data: job.memo.answer ?? null };
  });
}

/** The call is answered with null when its task ends well within this time, and with the task's id otherwise. */
export function whenDoneWithin(lab: Lab, upid: string, ms: number, complaint: string): Later {
  const until = lab.now() + ms;
  return new Later(() => {
    const status = proxmoxState(lab).tasks.findLast((task) => task.upid === upid)?.exitstatus;
    if (status === undefined) return lab.now() < until ? undefined : { data: upid };
    if (status !== "OK" && !/^WARNINGS: \d+$/.test(status)) throw died(`${complaint}${status}`);
    return { data: null };
  });
}
