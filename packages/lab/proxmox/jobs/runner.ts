import type { Json } from "@talosmith/lib/json.ts";
import type { Lab, TransitionHandler } from "../../kernel/kernel.ts";
import { died, SimulatedError } from "../refusal.ts";
import { type ProxmoxState, proxmoxState, seconds } from "../state.ts";
import type { Fetching } from "./fetching.ts";
import {
  type Condition,
  type Effects,
  INTERRUPT,
  JOB,
  type Job,
  type JobStep,
  jobById,
  type Outcome,
  type Run,
  type Task,
} from "./job.ts";
import { KILLED, killJob } from "./kill.ts";
import { lockTimeout, lockWaiting, tryLock, unlock } from "./lock.ts";

/** Outcomes that were never fetched are dropped: the caller disconnected. */
const KEPT_OUTCOMES = 100;

/** Advances jobs: each transition runs one job as far as possible at this instant. */
export function jobTransitions(effects: Effects, fetching: Fetching): Record<string, TransitionHandler> {
  const advance = (lab: Lab, job: Job) => {
    const run = createRun(lab, job);
    try {
      for (let step = job.steps[0]; step; step = job.steps[0]) {
        const works = "become" in step || "fetch" in step;
        if (works && job.fault === KILLED) return killJob(lab, run.state, job);
        if (works && job.fault !== undefined && !WARNINGS.test(job.fault)) throw died(job.fault);
        const more = perform(run, step, effects, fetching);
        if (more === "waits") return;
        job.steps.splice(0, 1, ...more);
        delete job.until;
      }
      if (job.fault !== undefined) endBroken(run, job.fault);
      finish(run, { ok: true });
    } catch (error) {
      if (!(error instanceof SimulatedError)) throw error;
      fail(run, error, effects, fetching);
    }
  };
  return {
    [JOB]: (lab, data) => {
      const job = jobById(proxmoxState(lab), (data as { job: number }).job);
      if (job && !job.outcome) advance(lab, job);
    },
    [INTERRUPT]: (lab, data) => {
      const { job: id, why } = data as { job: number; why: string };
      const job = jobById(proxmoxState(lab), id);
      if (job && !job.outcome) fail(createRun(lab, job), died(why), effects, fetching);
    },
  };
}

/** A fault with this text lets the work succeed with warnings. */
const WARNINGS = /^WARNINGS: (\d+)$/;

function endBroken(run: Run, fault: string): void {
  const count = Number(WARNINGS.exec(fault)?.[1] ?? 0);
  if (count === 0) throw died(fault);
  for (let n = 1; n <= count; n++) run.warn(`simulated warning ${n}`);
}

function createRun(lab: Lab, job: Job): Run {
  const state = proxmoxState(lab);
  const task = state.tasks.findLast((known) => known.upid === job.upid);
  return {
    lab,
    state,
    job,
    say: (line) => void task?.log.push(line),
    warn: (line) => {
      if (!task) return;
      task.log.push(`WARN: ${line}`);
      task.warnings++;
    },
  };
}

/** Runs a step: returns the steps that replace it, or that it waits. */
function perform(run: Run, step: JobStep, effects: Effects, fetching: Fetching): JobStep[] | "waits" {
  const { lab, state, job } = run;
  if ("say" in step) run.say(step.say);
  else if ("blame" in step) job.blame = step.blame;
  else if ("unlock" in step) unlock(lab, state, job, step.unlock);
  else if ("fail" in step) {
    if (holds(state, step.when)) throw died(step.fail);
  } else if ("after" in step) {
    if (wait(run, step.after) === "goes on") return "waits";
  } else if ("lock" in step) {
    if (tryLock(state, job, step.lock, step.shared === true)) {
      if (job.until !== undefined) run.say(" OK");
      return [];
    }
    if (job.until === undefined) run.say(lockWaiting(step.lock));
    if (wait(run, step.waitMs) === "goes on") return "waits";
    if (!step.orSkip) throw died(lockTimeout(step.lock));
    run.warn(`${step.orSkip.warning}${lockTimeout(step.lock)}`);
    job.steps.splice(1, step.orSkip.steps);
  } else if ("fetch" in step) {
    const fetched = fetching.poll(lab, job, step.fetch);
    if (fetched === undefined) {
      delete job.until;
      wait(run, fetching.pollMs);
      return "waits";
    }
    job.memo.fetched = fetched as unknown as Json;
  } else {
    const effect = effects[step.become] as ((run: Run, data: Json) => JobStep[] | undefined) | undefined;
    if (!effect) throw new Error(`no effect is called ${step.become}`);
    return effect(run, step.with) ?? [];
  }
  return [];
}

function wait({ lab, job }: Run, ms: number): "goes on" | "over" {
  if (job.until === undefined) {
    job.until = lab.now() + ms;
    lab.schedule(JOB, ms, { job: job.id });
  }
  return lab.now() < job.until ? "goes on" : "over";
}

function holds(state: ProxmoxState, condition: Condition): boolean {
  if ("running" in condition) return state.vms[condition.running]?.power !== undefined;
  if ("stopped" in condition) return state.vms[condition.stopped]?.power === undefined;
  return state.vms[condition.template]?.config.template === "1";
}

function fail(run: Run, refusal: SimulatedError, effects: Effects, fetching: Fetching): void {
  const { blame, undo } = run.job;
  for (const step of undo) perform(run, step, effects, fetching);
  finish(run, {
    ok: false,
    status: refusal.status,
    message: blame === undefined ? refusal.message : `${blame} ${refusal.message}`,
    ...(refusal.errors && { errors: refusal.errors }),
  });
}

function finish(run: Run, outcome: Outcome): void {
  const { lab, state, job } = run;
  for (const path of [...job.holds]) unlock(lab, state, job, path);
  job.outcome = outcome;
  job.steps = [];
  const task = state.tasks.findLast((known) => known.upid === job.upid);
  if (task) endTask(lab, task, outcome);
  const answers = state.jobs.filter((known) => known.outcome && known.upid === undefined);
  const forgotten = new Set([...(job.upid === undefined ? [] : [job]), ...answers.slice(0, -KEPT_OUTCOMES)]);
  state.jobs = state.jobs.filter((known) => !forgotten.has(known));
}

function endTask(lab: Lab, task: Task, outcome: Outcome): void {
  task.endtime = seconds(lab);
  task.exitstatus = outcome.ok ? (task.warnings > 0 ? `WARNINGS: ${task.warnings}` : "OK") : asOneLine(outcome);
  task.log.push(outcome.ok ? `TASK ${task.exitstatus}` : `TASK ERROR: ${task.exitstatus}`);
}

/** A worker's parameter errors are part of its last line. */
function asOneLine(outcome: Extract<Outcome, { ok: false }>): string {
  const errors = Object.entries(outcome.errors ?? {}).map(([key, text]) => `${key}: ${text}`);
  return [outcome.message, ...errors]
    .join(" ")
    .replace(/\s*\n\s*/g, " ")
    .trim();
}
