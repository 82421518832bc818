import type { ErrorReport } from "@talosmith/lib/errors.ts";
import type { Event, EventBody } from "../engine/event.ts";
import type { PlanResult } from "../engine/result.ts";
import type { Finding, StepId } from "../engine/step.ts";
import { type PastRun, pastRun } from "./past-run.ts";
import { printable } from "./printable.ts";
import { follow, newProgress, type RunProgress } from "./progress.ts";
import { reportText } from "./report-text.ts";

type Body<T extends EventBody["type"]> = Extract<EventBody, { type: T }>;

/** The content of a report. */
export interface RunRecord {
  progress: RunProgress;
  startedAt: string;
  lastAt: string;
  started?: Body<"run.started">;
  finished?: Body<"run.finished">;
  plan?: PlanResult;
  /** The last state of each wait. */
  waits: Map<string, Body<"step.waiting">>;
  findings: Map<string, Finding & { step: StepId }>;
  errors: ErrorReport[];
  notices: Body<"notice">[];
  /** Calls that changed something, by step and key; `ok` is absent when no answer came. */
  mutations: Map<string, { step: StepId; what: string; ok?: boolean }>;
}

/** Writes report.md of a run: plan, steps, calls, waits and findings; and sums the run up for `runs show`. */
export function reportView(): { event(event: Event): void; markdown(): string; past(): PastRun } {
  const record: RunRecord = {
    progress: newProgress(),
    startedAt: "",
    lastAt: "",
    waits: new Map(),
    findings: new Map(),
    errors: [],
    notices: [],
    mutations: new Map(),
  };
  return {
    event: (raw) => {
      const event = printable(raw);
      follow(record.progress, event, Date.parse(event.at) || 0);
      if (record.startedAt === "") record.startedAt = event.at;
      record.lastAt = event.at;
      note(record, event);
    },
    markdown: () => reportText(record),
    past: () => pastRun(record),
  };
}

function note(record: RunRecord, event: Event): void {
  switch (event.type) {
    case "run.started":
      record.started = event;
      break;
    case "step.waiting":
      record.waits.set(JSON.stringify([event.step, event.condition]), event);
      break;
    case "step.finding":
      record.findings.set(JSON.stringify([event.step, event.finding]), { ...event.finding, step: event.step });
      break;
    case "step.finished":
      if (event.error !== undefined) record.errors.push(event.error);
      break;
    case "mutation.intent":
      record.mutations.set(JSON.stringify([event.step, event.key, event.what]), { step: event.step, what: event.what });
      break;
    case "mutation.outcome": {
      const { step, what, ok } = event;
      record.mutations.set(JSON.stringify([step, event.key, what]), { step, what, ok });
      break;
    }
    case "notice":
      record.notices.push(event);
      break;
    case "error":
      record.errors.push(event.error);
      break;
    case "result":
      if (event.result.kind === "plan") record.plan = event.result;
      break;
    case "run.finished":
      record.finished = event;
      break;
  }
}
