import { defineConfig } from "vitest/config";

const globalSetup = "test/support/rsa-key.ts";

export default defineConfig({
  test: {
    // Tests wait for a lab's time as much as they work.
    maxWorkers: 4,
    reporters: ["default", "./test/reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture/**/*.test.ts"],
          globalSetup,
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      { test: { name: "mutants", include: ["test/mutants/**/*.test.ts"], globalSetup, maxConcurrency: 2, testTimeout: 450_000 } },
      {
        test: {
          name: "lifecycle",
          include: ["test/lifecycle/**/*.test.ts"],
          globalSetup,
          isolate: false,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
