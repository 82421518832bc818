import { testsFor } from "./choose-tests.js";
import { runAll } from "./pool.js";

/** Longer than this, and three times longer than without the mutant, is an endless loop or wait. */
const PATIENCE_MS = 10_000;

/** Who killed a mutant that did not come to an end. */
export const TIME_LIMIT = "the time limit";

/** Tries every mutant with the tests that come across it, and gives each its `outcome`. */
export async function kill(mutants, { tests, besideMs }, { size, plan, progress }) {
  const works = mutants.map((mutant) => {
    const chosen = testsFor(mutant, tests);
    const ms = chosen.reduce((sum, test) => sum + test.ms, 0);
    return { mutant, ms, task: { active: mutant.id, tests: chosen.map(({ file }) => file) } };
  });
  const isReached = ({ task }) => task.tests.length > 0;
  for (const { mutant } of works.filter((work) => !isReached(work)))
    mutant.outcome = { killed: false, because: "no test comes across it" };
  await runAll(works.filter(isReached), {
    size,
    plan: plan("kill.json", {}),
    limitMs: ({ ms }) => PATIENCE_MS + 3 * (ms + besideMs),
    done: ({ mutant, task }, outcome) => {
      mutant.outcome = judged(outcome, task.tests.length);
      const ended = mutants.filter((one) => one.outcome);
      const killed = ended.filter((one) => one.outcome.killed);
      progress(`${ended.length} of ${mutants.length} mutants, ${killed.length} killed`);
    },
  });
}

/** `outcome`: of a tester, see pool.js. */
export function judged(outcome, tried) {
  if (outcome === "too slow") return { killed: true, by: TIME_LIMIT };
  if (outcome === "ended") return { killed: true, by: "the end of the process" };
  const failed = outcome.files.find(({ ok }) => !ok);
  if (failed) return { killed: true, by: `${failed.file} > ${failed.failed ?? "outside of its tests"}` };
  if (outcome.errors.length > 0) return { killed: true, by: outcome.errors[0] };
  return { killed: false, because: `${tried} test file${tried === 1 ? "" : "s"} passed` };
}
