import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type ProxmoxState, proxmoxState } from "../state.ts";

/** The next action of a worker. Plain data, so that a snapshot can hold an unfinished task. */
export type JobStep =
  /** Waits for a file lock until a limit; then the job fails, or skips the given number of steps with a warning. */
  | { lock: string; waitMs: number; shared?: true; orSkip?: { steps: number; warning: string } }
  | { unlock: string }
  /** Writes a line to the task's log. */
  | { say: string }
  /** Prefixes later errors with this text. */
  | { blame: string }
  /** Fails the job when the condition holds now. */
  | { fail: string; when: Condition }
  /** Takes this much virtual time. */
  | { after: number }
  /** Runs an effect by its name, with its data. */
  | { become: string; with: Json }
  /** Waits until the URL is downloaded; the next step finds the result in the job's memo. */
  | { fetch: { url: string; verify: boolean } };

export type Condition = { running: number } | { stopped: number } | { template: number };

export interface Job {
  id: number;
  node: string;
  /** The user or token of the job: "root@pam", "user@realm!token". */
  by: string;
  /** The remaining steps; the first one is running. */
  steps: JobStep[];
  /** Steps that undo the job when it fails. */
  undo: JobStep[];
  /** Lock files that the job holds. */
  holds: string[];
  /** Set while the first step is running: its end or its time-out, in virtual milliseconds. */
  until?: number;
  /** Values passed between the effects of this job. */
  memo: Record<string, Json>;
  /** Set for a job with a visible task; other jobs are calls being answered. */
  upid?: string;
  /** Prefix of errors. */
  blame?: string;
  /** A fault: the job fails with this text instead of doing its work. */
  fault?: string;
  outcome?: Outcome;
}

export type Outcome = { ok: true } | { ok: false; status: number; message: string; errors?: Record<string, string> };

export interface Lock {
  path: string;
  /** Ids of jobs. */
  holders: number[];
  shared: boolean;
}

export interface Task {
  upid: string;
  node: string;
  pid: number;
  pstart: number;
  /** Seconds since the epoch. */
  starttime: number;
  type: string;
  id: string;
  /** User id, or the full id of a token. */
  user: string;
  log: string[];
  warnings: number;
  endtime?: number;
  /** "OK", "WARNINGS: 2", or the error. */
  exitstatus?: string;
}

/** The context of an effect. */
export interface Run {
  lab: Lab;
  state: ProxmoxState;
  job: Job;
  say(line: string): void;
  warn(line: string): void;
}

/** Changes the state at one instant; may return steps to run before the others. Throws a Refusal to fail the job. */
export type Effect<D = never> = (run: Run, data: D) => JobStep[] | undefined;
export type Effects = Readonly<Record<string, Effect>>;

/** The transitions that advance jobs, and that interrupt them. */
export const JOB = "proxmox.job";
export const INTERRUPT = "proxmox.interrupt";

/** A host loses power: {host}. */
export const POWER_LOSS = "proxmox.power-loss";

/** Interrupts a job, as a signal does. */
export function interruptJob(lab: Lab, job: Job, why: string): void {
  lab.schedule(INTERRUPT, 0, { job: job.id, why });
}

export interface NewJob {
  node: string;
  by: string;
  steps: JobStep[];
  undo?: JobStep[];
  memo?: Record<string, Json>;
  fault?: string | undefined;
  upid?: string;
}

/** Starts a job in its own transition, right after the call that started it. */
export function startJob(lab: Lab, job: NewJob): Job {
  const state = proxmoxState(lab);
  const { fault, upid, ...rest } = job;
  const started: Job = {
    undo: [],
    memo: {},
    ...rest,
    id: lab.serial("proxmox job"),
    holds: [],
    ...(fault !== undefined && { fault }),
    ...(upid !== undefined && { upid }),
  };
  state.jobs.push(started);
  lab.schedule(JOB, 0, { job: started.id });
  return started;
}

export function jobById(state: ProxmoxState, id: number): Job | undefined {
  return state.jobs.find((job) => job.id === id);
}
