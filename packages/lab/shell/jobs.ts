import { setMaxListeners } from "node:events";
import type { Descriptors } from "./process.ts";
import { fromBytes } from "./streams.ts";

/** A command in the background. */
export interface Job {
  id: number;
  ended: Promise<number>;
  stop: AbortController;
}

/** The numbers that jobs get, shared by a shell and its subshells. */
export interface Numbers {
  next: number;
}

const FAILED = 127;

/** Starts a command in the background, with empty input unless it is redirected. */
export function startJob(
  numbers: Numbers,
  fds: Descriptors,
  alive: AbortSignal,
  run: (fds: Descriptors, alive: AbortSignal) => Promise<number>,
): Job {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const end = () => stop.abort();
  if (alive.aborted) end();
  alive.addEventListener("abort", end, { once: true });
  const nothing = fromBytes(Buffer.alloc(0));
  const ended = run(new Map(fds).set(0, nothing), stop.signal).catch(() => FAILED);
  nothing.release();
  return { id: numbers.next++, ended, stop };
}
