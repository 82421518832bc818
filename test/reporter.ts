import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** Ends a run with one plain line that people and scripts can find: "12 passed, 0 failed, 1 skipped". */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: ReturnType<TestCase["result"]>["state"]) => tests.filter((one) => one.result().state === state).length;
    // A file that could not be loaded, a hook that threw or an error outside any test fails the run although no test has failed.
    const broken = modules.filter((module) => !module.ok() && ![...module.children.allTests("failed")].length).length;
    const failed = count("failed") + broken + unhandled.length;
    process.stdout.write(`\n${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped\n`);
  }
}
