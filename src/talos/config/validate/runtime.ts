import { type Facts, type Found, found, ofKind, textAt } from "./facts.ts";

/** The kernel's watchdogs are not set to less. */
const SHORTEST_WATCHDOG_MS = 10_000;

export function* runtime(facts: Facts): Generator<Found> {
  for (const watchdog of ofKind(facts, "WatchdogTimerConfig")) {
    const timeout = milliseconds(textAt(watchdog, "timeout"));
    if (timeout !== undefined && timeout !== 0 && timeout < SHORTEST_WATCHDOG_MS)
      yield found(watchdog, "timeout", "timeout must be at least 10s", "write timeout: 1m, or leave it out");
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Undefined for an invalid duration. */
function milliseconds(text: string): number | undefined {
  if (!/^[-+]?([\d.]+(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([a-zµμ]+)/g)];
  const sum = parts.reduce((all, [, count, unit = ""]) => all + Number(count) * (UNITS[unit] ?? 0), 0);
  return text.startsWith("-") ? -sum : sum;
}
