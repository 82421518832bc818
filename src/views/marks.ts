import type { Level } from "../engine/result.ts";
import { type Span, toned } from "./line.ts";
import type { StageState, StepState } from "./progress.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const SPINNER_MS = 100;

/** The spinner's sign at a time, so that it needs no state. */
export function spinner(now: number): Span {
  return toned("accent", SPINNER[Math.floor(Math.max(0, now) / SPINNER_MS) % SPINNER.length] ?? "⠋");
}

export const GOOD = toned("good", "✓");
export const BAD = toned("bad", "✗");
export const WARN = toned("warn", "!");
export const AHEAD = toned("faint", "○");
export const IDLE = toned("faint", "·");

/** The marks of what needs attention; what is ok has none. */
export const LEVEL_MARKS: Record<Level, Span | undefined> = { ok: undefined, warn: WARN, fail: BAD };

export function stepMark(state: StepState, running: Span): Span {
  switch (state) {
    case "changed":
    case "unchanged":
      return GOOD;
    case "failed":
      return BAD;
    case "interrupted":
      return WARN;
    case "running":
      return running;
    case "pending":
      return AHEAD;
    case "queued":
    case "blocked":
      return IDLE;
  }
}

export function stageMark(state: StageState, running: Span): Span {
  return { ahead: AHEAD, running, ok: GOOD, failed: BAD, interrupted: WARN, blocked: IDLE }[state];
}
