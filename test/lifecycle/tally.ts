import { appendFileSync } from "node:fs";
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

/** One line for whoever looks, and one for the runner, when there is one. */
export function tally(one: Tally, line: string): void {
  console.log(`lifecycle: ${one.scenario}: ${line}; violations ${one.violations}`);
  const folder = process.env.LIFECYCLE_TALLY;
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(one)}\n`);
}
