import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "./execute.js";

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");

/** More failed files than this have a common cause; running them again would only take time. */
const RERUN_AT_MOST = 5;

/**
 * Runs a vitest project, or a program that does so. A file that failed is run once more, in a process of its own: if it passes then, its failures are flaky, else they stand. A
 * violated invariant is never run again: seen once, it is a bug.
 */
export async function runProject(project, { program, ...options } = {}) {
  const alone = [VITEST, "run", ...(project === undefined ? [] : ["--project", project])];
  const first = await vitest(program ?? alone, options);
  const flaky = [];
  for (const file of rerunnable(first.failures)) {
    process.stdout.write(`\n== once more, in a process of its own: ${file}\n`);
    const again = await vitest([...alone, file], options);
    if (again.code === 0) flaky.push(...first.failures.filter((failure) => failure.file === file));
  }
  const failures = first.failures.filter((failure) => !flaky.includes(failure));
  if (first.code !== 0 && first.failures.length === 0)
    failures.push({ name: `vitest --project ${project}`, message: `ended with ${first.code} and named no failed test` });
  return { ...first, failures, flaky };
}

function rerunnable(failures) {
  const files = [...new Set(failures.map((failure) => failure.file))];
  const stands = files.some((file) => file === undefined) || failures.some((failure) => failure.isViolation);
  return stands || files.length > RERUN_AT_MOST ? [] : files;
}

async function vitest(args, { env = {}, cwd, hangMs } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "talosmith-results-"));
  const file = join(folder, "results.json");
  try {
    const ended = await execute(args, { env: { ...env, TEST_RESULTS: file }, cwd, hangMs });
    return { ...ended, ...read(file) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What test/reporter.ts has written; nothing when vitest did not get that far. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { tests: [], failures: [] };
  }
}
