import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** Ends a run with one plain line that people and scripts can find, "12 passed, 0 failed, 1 skipped", below the names of what failed. */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: ReturnType<TestCase["result"]>["state"]) => tests.filter((one) => one.result().state === state).length;
    // A file that could not be loaded, a hook that threw or an error outside any test fails the run although no test has failed.
    const broken = modules.filter((module) => !module.ok() && ![...module.children.allTests("failed")].length);
    const failures = [
      ...tests
        .filter((one) => one.result().state === "failed")
        .map((one) => failure(`${one.module.relativeModuleId} > ${one.fullName}`, one.result().errors ?? [])),
      ...broken.map((one) => failure(one.relativeModuleId, one.errors())),
      ...unhandled.map((one) => failure("outside of any test", [one])),
    ];
    for (const one of failures) process.stdout.write(`\n${one}\n`);
    process.stdout.write(`\n${count("passed")} passed, ${failures.length} failed, ${count("skipped")} skipped\n`);
  }
}

/** Enough to know it again where the rest of the output is lost. */
function failure(what: string, errors: readonly SerializedError[]): string {
  const why = errors.flatMap(({ message, stacks }) => [
    message,
    ...(stacks ?? []).slice(0, 2).map((at) => `at ${at.file}:${at.line}`),
  ]);
  return `failed: ${what}\n${why.join("\n").slice(0, 1000)}`.replaceAll("\n", "\n  ");
}
