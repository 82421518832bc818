import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What one scenario showed. The runner (run.js) adds all of them up, and so knows what was tried of what was seen. */
export interface Tally {
  scenario: string;
  /** Distinct moments of golden runs: step kind × mutation × before/after, calls that took effect. */
  points?: readonly string[];
  /** Those that a run was cut off at. */
  crashed?: readonly string[];
  /** Call sites of golden runs, with what can go wrong at each. */
  pairs?: readonly string[];
  /** Those that were asked for, and those that happened. */
  planned?: readonly string[];
  fired?: readonly string[];
  seeds?: number;
  /** Commands that were run to finish what another one began. */
  recoveries?: number;
  violations: number;
}

const FOLDER = process.env.LIFECYCLE_TALLY;

/** One line for whoever looks, and one for the runner, when there is one. */
export function tally(one: Tally, line: string): void {
  say(one.scenario, line, one.violations);
  note(one);
}

export function say(scenario: string, line: string, violations: number): void {
  console.log(`lifecycle: ${scenario}: ${line}; violations ${violations}`);
}

/** For the runner alone, at once: a run that is cut off has shown something, too. */
export function note(one: Tally): void {
  if (FOLDER !== undefined) appendFileSync(join(FOLDER, `${process.pid}.jsonl`), `${JSON.stringify(one)}\n`);
}

/** How often each pair happened and ended well in runs that were given the same folder: those need not be tried again. */
export function firedBefore(): Map<string, number> {
  const times = new Map<string, number>();
  if (FOLDER === undefined) return times;
  for (const file of readdirSync(FOLDER))
    for (const line of readFileSync(join(FOLDER, file), "utf8").split("\n").filter(Boolean)) {
      const { fired = [], violations } = JSON.parse(line) as Tally;
      if (violations === 0) for (const pair of fired) times.set(pair, (times.get(pair) ?? 0) + 1);
    }
  return times;
}
