import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { runProject } from "./project.js";

/* A suite of its own with a planted test in it, run as test/run.js runs ours. */

const ROOT = join(import.meta.dirname, "../..");

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talosmith-runner-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `export default { test: { reporters: [${JSON.stringify(join(ROOT, "test/reporter.ts"))}] } };`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(test) {
  writeFileSync(
    join(folder, "planted.test.mjs"),
    `import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
test("is fine", () => {});
${test}`,
  );
  const { failures, flaky } = await runProject(undefined, { cwd: folder });
  const names = (all) => all.map(({ file, name }) => `${file} > ${name}`);
  return { failed: names(failures), flaky: names(flaky) };
}

test("a race that is lost once and then won is flaky, not passed", async () => {
  // The first run is slow, as on a busy machine; the second is not.
  const race = `test("waits long enough", async () => {
  const slow = !existsSync("warm");
  appendFileSync("warm", "x");
  let done = false;
  void sleep(slow ? 500 : 1).then(() => { done = true; });
  await sleep(100);
  expect(done).toBe(true);
});`;
  expect(await run(race)).toEqual({ failed: [], flaky: ["planted.test.mjs > waits long enough"] });
});

test("a test that fails twice has failed", async () => {
  expect(await run(`test("is wrong", () => expect(1).toBe(2));`)).toEqual({
    failed: ["planted.test.mjs > is wrong"],
    flaky: [],
  });
});

test("a violated invariant is not run again", async () => {
  const violation = `import { expectNoViolations } from ${JSON.stringify(join(ROOT, "test/lifecycle/violation.ts"))};
test("holds", () => {
  appendFileSync("runs", "x");
  expectNoViolations(readFileSync("runs", "utf8") === "x" ? ["a machine exists twice"] : []);
});`;
  expect(await run(violation)).toEqual({ failed: ["planted.test.mjs > holds"], flaky: [] });
});

test("a file that cannot be loaded is named", async () => {
  expect(await run(`throw new Error("broken file");`)).toEqual({
    failed: ["planted.test.mjs > outside of its tests"],
    flaky: [],
  });
});
