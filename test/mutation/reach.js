import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isNear } from "./choose-tests.js";
import { loader } from "./imports.js";
import { runAll } from "./pool.js";
import { ROOT, testFiles } from "./scope.js";

/** Test files of one group share a process and load their modules once. */
const GROUP = 12;

/**
 * Runs the tests once without any mutant. Returns those that pass, with their time and the mutants they come across, and how long a run takes beside its
 * tests: on a busy machine a process needs long to start.
 */
export async function reach(mutants, { folder, size, near, plan, say, progress }) {
  const loads = loader();
  const mutated = [...new Set(mutants.map(({ file }) => file))];
  const files = testFiles().filter((test) => mutated.some((file) => (near ? isNear(test, file) : loads(test).has(file))));
  say(`running ${files.length} test files without a mutant`);
  const notes = join(folder, "reach");
  mkdirSync(notes);
  const passed = new Map();
  let besideMs = 0;
  await runAll(
    inGroups(files, size).map((group) => ({ group, task: { tests: group } })),
    {
      size,
      plan: plan("reach.json", { reach: notes }),
      limitMs: ({ group }) => group.length * 120_000,
      done: ({ group }, outcome, elapsed) => {
        const ran = outcome.files ?? [];
        besideMs = Math.max(besideMs, elapsed - ran.reduce((sum, { ms }) => sum + ms, 0));
        for (const { file, ok, ms } of ran) if (ok) passed.set(file, { file, ms, reached: new Set() });
        for (const file of group) if (!passed.has(file)) say(`left out, fails without any mutant: ${file}`);
        progress(`${passed.size} of ${files.length} test files`);
      },
    },
  );
  addReached(passed, notes, (test, id) => loads(test).has(mutants[id].file));
  return { tests: [...passed.values()], besideMs };
}

/** A mutant that is met while a module is loaded is met by all tests that load it, and not only by the first one in the process. */
function addReached(passed, notes, isLoadedBy) {
  const noted = readdirSync(notes).map((name) => JSON.parse(readFileSync(join(notes, name), "utf8")));
  const loading = [...new Set(noted.flatMap((note) => note.loading))];
  for (const { file, running } of noted) {
    const test = passed.get(relative(ROOT, file));
    if (test) test.reached = new Set([...running, ...loading.filter((id) => isLoadedBy(test.file, id))]);
  }
}

/** Slow files are beside each other, so neighbours go into different groups. */
function inGroups(files, size) {
  const groups = Array.from({ length: Math.max(size, Math.ceil(files.length / GROUP)) }, () => []);
  for (const [index, file] of files.entries()) groups[index % groups.length].push(file);
  return groups.filter((group) => group.length > 0);
}
