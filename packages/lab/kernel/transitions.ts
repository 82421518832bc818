import type { Json } from "@talosmith/lib/json.ts";

/** A future event: plain data, so that a snapshot holds it. */
export interface Transition {
  at: number;
  /** The order of scheduling: decides between transitions of the same time. */
  order: number;
  kind: string;
  data: Json;
}

export interface Transitions {
  nextOrder: number;
  /** Sorted by (at, order). */
  pending: Transition[];
}

export function noTransitions(): Transitions {
  return { nextOrder: 1, pending: [] };
}

export function addTransition(queue: Transitions, at: number, kind: string, data: Json): void {
  // A copy, because the caller's later changes to the data would be lost in a restore.
  const transition = { at, order: queue.nextOrder++, kind, data: structuredClone(data) };
  let place = queue.pending.length;
  while (place > 0 && (queue.pending[place - 1]?.at ?? 0) > at) place--;
  queue.pending.splice(place, 0, transition);
}

export function nextTransition(queue: Transitions): Transition | undefined {
  return queue.pending[0];
}

export function takeDue(queue: Transitions, now: number): Transition | undefined {
  const next = queue.pending[0];
  return next !== undefined && next.at <= now ? queue.pending.shift() : undefined;
}
