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

/** Pairs that happened and ended well, here or in another run that was given the same folder. */
export function firedBefore(): Set<string> {
  if (FOLDER === undefined) return new Set();
  const lines = readdirSync(FOLDER).flatMap((file) => readFileSync(join(FOLDER, file), "utf8").split("\n").filter(Boolean));
  return new Set(
    lines.flatMap((line) => {
      const { fired = [], violations } = JSON.parse(line) as Tally;
      return violations === 0 ? fired : [];
    }),
  );
}
