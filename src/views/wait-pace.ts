import type { EventBody } from "../engine/event.ts";

type Waiting = Extract<EventBody, { type: "step.waiting" }>;

const FIRST_MS = 5_000;

/** Chooses the progress of a wait that a log shows: after 5 s, then each time the wait has doubled. Short waits are not shown. */
export function waitPace(): (event: Waiting) => boolean {
  const dueAt = new Map<string, number>();
  return ({ step, condition, elapsedMs }) => {
    const key = JSON.stringify([step, condition]);
    if (elapsedMs < (dueAt.get(key) ?? FIRST_MS)) return false;
    dueAt.set(key, elapsedMs * 2);
    return true;
  };
}
