import type { ErrorReport } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Result } from "./result.ts";
import type { Change, Finding, Stage, StepId } from "./step.ts";

export interface PlannedStep {
  id: StepId;
  stage: Stage;
  title: string;
  kind: "step" | "check";
}

export type Outcome = "changed" | "unchanged" | "failed" | "blocked" | "interrupted";

/** An event as data: the only source of the terminal, logs, reports and dashboards. */
export type EventBody =
  | { type: "run.started"; run: string; command: string; heading: Heading }
  /** All items of this run, in order. */
  | { type: "steps"; steps: PlannedStep[] }
  | { type: "step.started"; step: StepId }
  /** Ready, but a lane is full. */
  | { type: "step.queued"; step: StepId; lane: string }
  | { type: "step.progress"; step: StepId; text: string }
  /** A wait and the last reason it is not over. */
  | { type: "step.waiting"; step: StepId; condition: string; reason: string; elapsedMs: number; limitMs: number }
  | { type: "step.finding"; step: StepId; finding: Finding }
  | {
      type: "step.finished";
      step: StepId;
      outcome: Outcome;
      changes: Change[];
      ms: number;
      error?: ErrorReport;
      blockedBy?: StepId;
    }
  | { type: "mutation.intent"; step: StepId; key: string; what: string; hint?: Json }
  | { type: "mutation.outcome"; step: StepId; key: string; what: string; ok: boolean; result?: Json; error?: ErrorReport }
  /** A message that belongs to no step. */
  | { type: "notice"; level: "info" | "warn"; message: string; hint?: string }
  | { type: "result"; result: Result }
  | { type: "error"; error: ErrorReport }
  | {
      type: "run.finished";
      run: string;
      outcome: "ok" | "failed" | "interrupted";
      exitCode: number;
      ms: number;
      summary: string;
      next: string[];
      report?: string;
    };

export type Event = EventBody & { at: string };

/** First line of every display. */
export interface Heading {
  environment: string;
  platform: string;
  talos: string;
  kubernetes: string;
  folder: string;
}

export type EventSink = (event: Event) => void;
