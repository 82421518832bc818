import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The coverage of one scenario. The runner (run.js) combines all of them, and so knows which of the seen moments were tried. */
export interface Tally {
  scenario: string;
  /** Distinct moments of golden runs: step kind × mutation × before/after, calls that took effect. */
  points?: readonly string[];
  /** Moments at which a run was interrupted. */
  crashed?: readonly string[];
  /** Call sites of golden runs, with the possible faults at each. */
  pairs?: readonly string[];
  /** Faults that were planned, and those that fired. */
  planned?: readonly string[];
  fired?: readonly string[];
  seeds?: number;
  /** Commands that finished the work of an interrupted one. */
  recoveries?: number;
  violations: number;
}

const FOLDER = process.env.LIFECYCLE_TALLY;

/** Prints one line, and records the tally for the runner, if there is one. */
export function tally(one: Tally, line: string): void {
  say(one.scenario, line, one.violations);
  note(one);
}

export function say(scenario: string, line: string, violations: number): void {
  console.log(`lifecycle: ${scenario}: ${line}; violations ${violations}`);
}

/** Records a tally for the runner at once: an interrupted run has covered something, too. */
export function note(one: Tally): void {
  if (FOLDER !== undefined) appendFileSync(join(FOLDER, `${process.pid}.jsonl`), `${JSON.stringify(one)}\n`);
}

/** Pairs that fired and ended well, in this run or in another one with the same folder. */
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
