// Started by pool.js with the mutants of a run: a vitest that stays. Each message names test files and a mutant, each answer says how the tests ended.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createVitest } from "vitest/node";
import { withMutants } from "./schemata.js";
import { ROOT } from "./scope.js";

const { mutants, cache, reach } = JSON.parse(readFileSync(process.argv[2], "utf8"));

/** Nothing that is mutated is ever written: vite gets it from here. */
const plant = {
  name: "mutants",
  enforce: "pre",
  transform(code, id) {
    const file = relative(ROOT, id.split("?")[0]);
    const here = mutants.filter((mutant) => mutant.file === file);
    return here.length === 0 ? undefined : { code: withMutants(code, here), map: null };
  },
};

const vitest = await createVitest(
  "test",
  {
    config: false,
    root: ROOT,
    watch: false,
    include: ["src/**/*.test.ts", "packages/**/*.test.ts"],
    globalSetup: join(ROOT, "test/support/rsa-key.ts"),
    setupFiles: [join(ROOT, "test/support/property-seed.ts"), join(import.meta.dirname, "in-tests.js")],
    reporters: [{}],
    onConsoleLog: () => false,
    isolate: false,
    maxWorkers: 1,
    bail: reach === undefined ? 1 : 0,
    // An endless wait ends here, an endless loop by pool.js.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    update: false,
    experimental: { fsModuleCache: true, fsModuleCachePath: cache },
  },
  { plugins: [plant] },
);
await vitest.standalone();
const project = vitest.getRootProject();
project.provide("reach", reach);

process.on("message", async ({ tests, active }) => {
  project.provide("active", active);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((file) => project.createSpecification(join(ROOT, file))),
  );
  // vitest remembers the modules of earlier runs, too: a failure of another mutant must not count for this one.
  const ran = testModules.filter((module) => tests.includes(module.relativeModuleId));
  const files = ran.map((module) => {
    const { collectDuration, duration, setupDuration, environmentSetupDuration, prepareDuration } = module.diagnostic();
    return {
      file: module.relativeModuleId,
      ok: module.ok(),
      ms: collectDuration + duration + setupDuration + environmentSetupDuration + prepareDuration,
      failed: [...module.children.allTests("failed")][0]?.fullName,
    };
  });
  process.send({ files, errors: unhandledErrors.map(({ message }) => message) });
});
// The process that started this one has ended.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.send("ready");
