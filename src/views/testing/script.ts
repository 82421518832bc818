import type { Event, EventBody, Heading, Outcome, PlannedStep } from "../../engine/event.ts";
import type { PlannedChange, PlanResult } from "../../engine/result.ts";
import type { Change, Field, Stage, StepId, Verb } from "../../engine/step.ts";
import type { Terminal } from "../terminal.ts";

export const HEADING: Heading = {
  environment: "homelab",
  platform: "proxmox pve (192.168.122.70)",
  talos: "v1.13.9",
  kubernetes: "v1.36.3",
  folder: "environments/homelab",
};

const START = Date.parse("2026-11-15T20:14:03.000Z");

/** `afterMs` counts from the beginning of the run. */
export function event(body: EventBody, afterMs = 0): Event {
  return { ...body, at: new Date(START + afterMs).toISOString() };
}

export const upStarted = event({ type: "run.started", run: "2026-11-15T20-14-03", command: "up", heading: HEADING });

export function planned(stage: Stage, title: string, kind: "step" | "check" = "step"): PlannedStep {
  return { id: `${stage}/${title}`, stage, title, kind };
}

export const started = (step: StepId, at = 0) => event({ type: "step.started", step }, at);
export const progress = (step: StepId, text: string, at = 0) => event({ type: "step.progress", step, text }, at);

export function finished(
  step: StepId,
  outcome: Outcome,
  ms: number,
  more: Partial<Extract<EventBody, { type: "step.finished" }>> = {},
): Event {
  return event({ type: "step.finished", step, outcome, changes: [], ms, ...more }, ms);
}

export function change(verb: Verb, subject: string, fields: readonly Field[] = []): Change {
  return { id: `${verb} ${subject}`, step: subject, verb, subject, fields };
}

export function plannedChange(
  stage: Stage,
  verb: Verb,
  subject: string,
  fields: readonly Field[] = [],
  more: Partial<PlannedChange> = {},
): PlannedChange {
  return { ...change(verb, subject, fields), stage, title: subject, after: [], ...more };
}

export function plan(changes: PlannedChange[], more: Partial<PlanResult> = {}): PlanResult {
  return { kind: "plan", heading: HEADING, changes, notes: [], calls: 9, ms: 400, next: [], ...more };
}

/** A pipe: remembers what was written. */
export function pipe(): Terminal & { text(): string } {
  let written = "";
  return {
    write: (text) => {
      written += text;
    },
    columns: () => 80,
    rows: () => 24,
    isTerminal: false,
    colour: false,
    text: () => written,
  };
}
