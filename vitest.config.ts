import { existsSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import SlowFirst from "./test/sequencer.ts";

/** A limit that only stops a hang. With FULL=1 some tests take an hour; what timed out would go on beside the next test. */
const HANG_MS = process.env.FULL === undefined ? 600_000 : 4 * 3_600_000;

/** Files that have passed already in a run of `npm run full` that was cut off, as test/reporter.ts noted them. */
const tally = process.env.TEST_TALLY;
const passed = (project: string) =>
  tally === undefined || !existsSync(tally)
    ? []
    : readFileSync(tally, "utf8")
        .split("\n")
        .filter((line) => line.startsWith(`${project} `))
        .map((line) => line.slice(project.length + 1));

/** The projects, in the order in which `npx vitest run` without a project runs them. */
const ORDER = ["tree", "unit", "integration", "lifecycle", "e2e", "mutants"];

interface Files {
  /** Two processors: more than two where tests wait for a lab as much as they work. */
  maxWorkers: number;
  include: string[];
  exclude?: string[];
  setupFiles?: string[];
}

const project = (name: string, { maxWorkers, include, exclude = [], setupFiles = [] }: Files) => ({
  test: {
    name,
    maxWorkers,
    include,
    exclude: [...configDefaults.exclude, ...exclude, ...passed(name)],
    globalSetup: "test/support/rsa-key.ts",
    setupFiles: ["test/support/property-seed.ts", ...setupFiles],
    isolate: false,
    sequence: { groupOrder: ORDER.indexOf(name) },
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS } },
  },
});

const BESIDE_SOURCE = ["src/**/*.test.ts", "packages/**/*.test.ts"];
const INTEGRATION = ["src/**/*.integration.test.ts", "packages/**/*.integration.test.ts"];

export default defineConfig({
  test: {
    maxConcurrency: 3,
    experimental: { fsModuleCache: true },
    passWithNoTests: tally !== undefined,
    reporters: ["default", "./test/reporter.ts"],
    sequence: { sequencer: SlowFirst },
    projects: [
      project("tree", {
        maxWorkers: 2,
        include: ["test/architecture/**/*.test.ts", "{release,test/runner,test/mutation}/**/*.test.js"],
      }),
      project("unit", {
        maxWorkers: 2,
        include: BESIDE_SOURCE,
        exclude: INTEGRATION,
        setupFiles: ["test/support/unit-only.ts"],
      }),
      project("integration", { maxWorkers: 4, include: INTEGRATION }),
      project("lifecycle", { maxWorkers: 4, include: ["test/lifecycle/**/*.test.ts"] }),
      project("e2e", { maxWorkers: 4, include: ["test/e2e/**/*.test.ts"] }),
      project("mutants", { maxWorkers: 1, include: ["test/mutants/**/*.test.ts"] }),
    ],
  },
});
