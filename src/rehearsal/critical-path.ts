import type { PhaseStep } from "./phase.ts";

/** Steps start right after the ones they waited for; turns of the event loop may lie between. */
const GAP_MS = 250;
/** Shorter steps are not worth a line. */
const SHORT_MS = 500;

/**
 * The chain of steps that a run's duration consists of, first step first: from the step that ended last, each time the one whose end allowed the next
 * to start. Without the others it would have taken as long.
 */
export function criticalPath(steps: readonly PhaseStep[]): PhaseStep[] {
  const chain: PhaseStep[] = [];
  let next = latest(steps);
  while (next) {
    chain.unshift(next);
    const { from } = next;
    const before = steps.filter((one) => !chain.includes(one) && one.until <= from + 1 && one.until >= from - GAP_MS);
    next = latest(before);
  }
  return chain.filter((one) => one.until - one.from >= SHORT_MS);
}

/** The longest of the steps that end together. */
function latest(steps: readonly PhaseStep[]): PhaseStep | undefined {
  return [...steps].sort((a, b) => b.until - a.until || a.from - b.from)[0];
}
