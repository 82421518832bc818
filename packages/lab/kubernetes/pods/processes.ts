import { messageOf } from "@talosmith/lib/errors.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type ClusterState, kubernetesState } from "../state.ts";
import { endFollowers, tellFollowers } from "../store/log-followers.ts";
import { lookSoon } from "../store/look.ts";
import { Connections } from "./http.ts";
import { podFetch, podLookUp, type Standpoint } from "./network.ts";
import type { Process, Program } from "./program.ts";

/** One run of a container: "<pod uid>/<container>/<restart>". */
export type Life = string;

interface Running {
  state: ClusterState;
  stop: AbortController;
}

/**
 * Running programs. They are not part of the state, because a program's progress is not plain data: a lab restored from a snapshot restarts those
 * that it finds running, and tells them so.
 */
const running = new WeakMap<Lab, Map<Life, Running>>();

/** A program that ran this long resets the restart delay. */
const LONG_RUN_MS = 600_000;
/** Maximum number of log lines kept for a container. */
const KEPT_LINES = 5000;

function processesOf(lab: Lab): Map<Life, Running> {
  const known = running.get(lab) ?? new Map<Life, Running>();
  running.set(lab, known);
  return known;
}

export function isAtWork(lab: Lab, life: Life, state: ClusterState): boolean {
  return processesOf(lab).get(life)?.state === state;
}

export function stopProcess(lab: Lab, life: Life): void {
  processesOf(lab).get(life)?.stop.abort(new Error("the container was stopped"));
  processesOf(lab).delete(life);
  endFollowers(lab, life);
}

export interface Start {
  life: Life;
  standpoint: Standpoint;
  program: Program;
  process: Pick<Process, "argv" | "env" | "files" | "begunAgain">;
  state: ClusterState;
}

export function startProcess(lab: Lab, { life, standpoint, program, process, state }: Start): void {
  stopProcess(lab, life);
  const stop = new AbortController();
  processesOf(lab).set(life, { state, stop });
  const onClosing = () => stop.abort(lab.closing.reason);
  lab.closing.addEventListener("abort", onClosing, { once: true });
  const key = standpoint.cluster;
  const connections = new Connections(lab.world, stop.signal);
  // A restored lab has a new state object, which knows nothing of programs started before.
  const lives = () => {
    if (kubernetesState(lab).clusters[key] !== state) stop.abort(new Error("the lab was restored"));
    return !stop.signal.aborted;
  };
  // Only sleeping counts as time: running the program itself takes the machine's time, not the lab's.
  let slept = 0;
  const whole: Process = {
    ...process,
    log: (line) => {
      if (lives()) lab.turn(() => writeLog(lab, key, life, line));
    },
    fetch: async (url, request = {}) => {
      lives();
      stop.signal.throwIfAborted();
      return podFetch(lab, standpoint, url, request, connections);
    },
    resolve: async (name) => {
      lives();
      stop.signal.throwIfAborted();
      return lab.turn(() => podLookUp(lab, standpoint, name));
    },
    sleep: async (ms) => {
      await lab.sleep(ms, stop.signal);
      slept += ms;
    },
    now: () => lab.now(),
    signal: stop.signal,
  };
  const done = (outcome: number | "stays") => {
    lab.closing.removeEventListener("abort", onClosing);
    connections.close();
    if (stop.signal.aborted || lab.closing.aborted) return;
    lab.turn(() => reportEnd(lab, key, life, outcome, slept >= LONG_RUN_MS));
  };
  // Only after the turn that starts it: a program never reads half-written state.
  queueMicrotask(() => {
    if (stop.signal.aborted) return;
    program(whole).then(done, (error: unknown) => {
      if (stop.signal.aborted || lab.closing.aborted) return;
      whole.log(`panic: ${messageOf(error)}`);
      done(2);
    });
  });
}

export function writeLog(lab: Lab, cluster: string, life: Life, text: string): void {
  const state = kubernetesState(lab).clusters[cluster];
  if (!state) return;
  const lines = state.logs[life] ?? [];
  state.logs[life] = lines;
  for (const part of text.split("\n")) {
    const line = { at: lab.now(), text: part };
    lines.push(line);
    tellFollowers(lab, life, line);
  }
  if (lines.length > KEPT_LINES) lines.splice(0, lines.length - KEPT_LINES);
}

function reportEnd(lab: Lab, cluster: string, life: Life, outcome: number | "stays", ranLong: boolean): void {
  const state = kubernetesState(lab).clusters[cluster];
  const [uid = "", name = "", restart] = life.split("/");
  const record = state?.kubelet[uid]?.containers[name];
  if (!state || record?.is !== "running" || record.restarts !== Number(restart)) return;
  if (outcome === "stays") {
    record.readyAt = lab.now();
  } else {
    processesOf(lab).delete(life);
    const ended = {
      startedAt: record.since,
      finishedAt: lab.now(),
      exitCode: outcome,
      reason: outcome === 0 ? "Completed" : "Error",
      ...(ranLong && { ranLong }),
    };
    const containers = state.kubelet[uid]?.containers ?? {};
    containers[name] = { is: "ended", restarts: record.restarts, ...(record.last && { last: record.last }), ...ended };
    endFollowers(lab, life);
  }
  lookSoon({ lab, key: cluster, state });
}
