import { appendFileSync, writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

interface Failure {
  /** Absent for an error outside of any test whose file is unknown. */
  file?: string;
  name: string;
  message: string;
  /** An invariant of the lifecycle suite was violated: such a failure is never run again. */
  isViolation: boolean;
}

/**
 * Ends a run with the names of what failed and one plain line, "12 passed, 0 failed, 1 skipped". Under test/run.js, which adds several runs up, the same
 * goes into the file TEST_RESULTS instead. Each file that passed is noted in TEST_TALLY, so that `npm run full` can continue where it was cut off.
 */
export default class Results implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    if (process.env.TEST_TALLY !== undefined && module.ok())
      appendFileSync(process.env.TEST_TALLY, `${module.project.name} ${module.relativeModuleId}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((one) => ({ file: one.module.relativeModuleId, name: one.fullName, ...outcome(one) }));
    const failures = [...modules.flatMap(failuresIn), ...unhandled.map((error) => outsideAnyTest(error, modules))];
    if (process.env.TEST_RESULTS !== undefined) {
      writeFileSync(process.env.TEST_RESULTS, JSON.stringify({ tests, failures }));
      return;
    }
    const count = (state: string) => tests.filter((one) => one.state === state).length;
    for (const { file, name, message } of failures) process.stdout.write(`\nfailed: ${file ?? ""} > ${name}\n  ${message}\n`);
    process.stdout.write(`\n${count("passed")} passed, ${failures.length} failed, ${count("skipped")} skipped\n`);
  }
}

const outcome = (one: TestCase) => ({ state: one.result().state, ms: Math.round(one.diagnostic()?.duration ?? 0) });

function failuresIn(module: TestModule): Failure[] {
  const file = module.relativeModuleId;
  const failed = [...module.children.allTests("failed")];
  if (failed.length > 0) return failed.map((one) => ({ file, name: one.fullName, ...reason(one.result().errors ?? []) }));
  // A file that could not be loaded, or a hook that threw, fails the run although no test has failed.
  return module.ok() ? [] : [{ file, name: "outside of its tests", ...reason(module.errors()) }];
}

function outsideAnyTest(error: SerializedError, modules: readonly TestModule[]): Failure {
  const at = modules.find((module) => module.moduleId === error.VITEST_TEST_PATH);
  return { ...(at && { file: at.relativeModuleId }), name: "outside of any test", ...reason([error]) };
}

/** Enough to recognise the failure where the rest of the output is lost. */
function reason(errors: readonly SerializedError[]): Pick<Failure, "message" | "isViolation"> {
  const lines = errors.flatMap(({ message, stacks }) => [
    message,
    ...(stacks ?? []).slice(0, 2).map((at) => `at ${at.file}:${at.line}`),
  ]);
  return {
    message: lines.join("\n").slice(0, 1000).replaceAll("\n", "\n  "),
    isViolation: errors.some(({ name }) => name === "InvariantViolation"),
  };
}
