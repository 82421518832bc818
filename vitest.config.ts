import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    maxWorkers: 2,
    maxConcurrency: 2,
    reporters: ["default", "./test/reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture/**/*.test.ts"],
          isolate: false,
          testTimeout: 20_000,
        },
      },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 } },
      { test: { name: "mutants", include: ["test/mutants/**/*.test.ts"], testTimeout: 300_000 } },
      { test: { name: "lifecycle", include: ["test/lifecycle/**/*.test.ts"], testTimeout: 600_000, hookTimeout: 120_000 } },
    ],
  },
});
