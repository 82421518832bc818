import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type ProxmoxState, proxmoxState } from "../state.ts";

/** Something a worker does next. Data, so that a snapshot holds a task half-way. */
export type Step =
  /** Waits for a file lock, at most so long; without it the job ends, or gives up these many of the next steps with a warning. */
  | { lock: string; waitMs: number; shared?: true; orSkip?: { steps: number; warning: string } }
  | { unlock: string }
  /** A line of the task's log. */
  | { say: string }
  /** From here on errors begin with these words. */
  | { blame: string }
  /** Ends the job when the condition holds now. */
  | { fail: string; when: Condition }
  /** Takes this much virtual time. */
  | { after: number }
  /** Something happens: an effect by its name, with its data. */
  | { become: string; with: Json }
  /** Waits until what the URL names has arrived; the next step finds it in the job's memo. */
  | { fetch: { url: string; verify: boolean } };

export type Condition = { running: number } | { stopped: number } | { template: number };

export interface Job {
  id: number;
  node: string;
  /** On whose behalf: "root@pam", "user@realm!token". */
  by: string;
  /** What is left to do; the first step is under way. */
  steps: Step[];
  /** What is done when it fails. */
  undo: Step[];
  /** Lock files held. */
  holds: string[];
  /** Set while the first step is under way: when it gives up or is over, in virtual milliseconds. */
  until?: number;
  /** What the effects of this job tell each other. */
  memo: Record<string, Json>;
  /** It has a task that people can see; others are calls being answered. */
  upid?: string;
  /** What errors begin with. */
  blame?: string;
  /** Broken on purpose: ends with this text instead of doing its work. */
  fault?: string;
  outcome?: Outcome;
}

export type Outcome = { ok: true } | { ok: false; status: number; message: string; errors?: Record<string, string> };

export interface Lock {
  path: string;
  /** Job ids. */
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
  /** The full id of a token, too. */
  user: string;
  log: string[];
  warnings: number;
  endtime?: number;
  /** "OK", "WARNINGS: 2", or what went wrong. */
  exitstatus?: string;
}

/** What an effect works with. */
export interface Run {
  lab: Lab;
  state: ProxmoxState;
  job: Job;
  say(line: string): void;
  warn(line: string): void;
}

/** Changes the state at one instant; may answer with steps to do before the rest. Throws a Refusal to end the job. */
export type Effect<D = never> = (run: Run, data: D) => Step[] | undefined;
export type Effects = Readonly<Record<string, Effect>>;

/** The transitions that carry jobs on and that end them from outside. */
export const JOB = "proxmox.job";
export const INTERRUPT = "proxmox.interrupt";

/** A host's power goes: {host}. */
export const POWER_LOSS = "proxmox.power-loss";

/** As a signal would. */
export function interruptJob(lab: Lab, job: Job, why: string): void {
  lab.schedule(INTERRUPT, 0, { job: job.id, why });
}

export interface NewJob {
  node: string;
  by: string;
  steps: Step[];
  undo?: Step[];
  memo?: Record<string, Json>;
  fault?: string | undefined;
  upid?: string;
}

/** The job begins in a transition of its own, right after the call that started it. */
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
