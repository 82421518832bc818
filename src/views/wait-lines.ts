import type { Event } from "../engine/event.ts";
import { waitWords } from "./describe.ts";
import { duration, limit } from "./duration.ts";
import { type Line, line } from "./line.ts";
import { IDLE } from "./marks.ts";
import type { RunProgress } from "./progress.ts";
import { waitPace } from "./wait-pace.ts";

/** Prints waits of commands without a list of steps, such as verify. */
export function unlistedWaits(run: RunProgress): (event: Event) => Line[] {
  const pace = waitPace();
  return (event) => {
    if (event.type !== "step.waiting" || run.steps.has(event.step) || !pace(event)) return [];
    return [line(IDLE, ` ${waitWords(event.condition, event.reason)} (${waited(event)})`)];
  };
}

export function waited(wait: { elapsedMs: number; limitMs: number }): string {
  return `${duration(wait.elapsedMs)}, limit ${limit(wait.limitMs)}`;
}
