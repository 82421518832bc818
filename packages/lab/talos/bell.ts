import type { Lab } from "../kernel/kernel.ts";

/** Streaming calls that wait for a change. Not part of the state, as connections are not either. */
const waiting = new WeakMap<object, Set<() => void>>();

const watching = new WeakMap<object, Set<() => void>>();

export function ring(lab: Lab): void {
  for (const look of watching.get(lab) ?? []) look();
  const all = waiting.get(lab);
  waiting.delete(lab);
  for (const wake of all ?? []) wake();
}

/** Calls `look` at once at every change, so that no intermediate state is missed; returns a function that stops it. */
export function atEveryChange(lab: Lab, look: () => void): () => void {
  const all = watching.get(lab) ?? new Set();
  watching.set(lab, all);
  all.add(look);
  return () => all.delete(look);
}

/** The longest pause between two reads of a stream, in the world's milliseconds: Kubernetes changes without ringing. */
const LOOK_MS = 250;

/** Waits until the next change, a short time, or the signal. */
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
