import type { Lab } from "../kernel/kernel.ts";

/** Who waits for something to change: calls that stream. No part of the state, as connections are none either. */
const waiting = new WeakMap<object, Set<() => void>>();

const watching = new WeakMap<object, Set<() => void>>();

export function ring(lab: Lab): void {
  for (const look of watching.get(lab) ?? []) look();
  const all = waiting.get(lab);
  waiting.delete(lab);
  for (const wake of all ?? []) wake();
}

/** Looks at once whenever something has changed, so that nothing in between is missed; until what it gives back is called. */
export function atEveryChange(lab: Lab, look: () => void): () => void {
  const all = watching.get(lab) ?? new Set();
  watching.set(lab, all);
  all.add(look);
  return () => all.delete(look);
}

/** How long a stream goes without looking, in the world's milliseconds: Kubernetes changes without ringing. */
const LOOK_MS = 250;

/** Until the next change, or a moment has passed, or the signal says so. */
export async function changeOrMoment(lab: Lab, signal: AbortSignal): Promise<void> {
  const all = waiting.get(lab) ?? new Set();
  waiting.set(lab, all);
  const woken = new AbortController();
  const wake = () => woken.abort();
  all.add(wake);
  const signals = [signal, lab.closing];
  for (const one of signals) one.addEventListener("abort", wake, { once: true });
  if (signals.some((one) => one.aborted)) wake();
  try {
    await lab.world.clock.sleep(LOOK_MS, woken.signal);
  } catch (error) {
    if (!woken.signal.aborted) throw error;
  } finally {
    all.delete(wake);
    for (const one of signals) one.removeEventListener("abort", wake);
  }
}
