import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { distance, isNear, testsFor } from "./choose-tests.js";
import { judged, kill } from "./kill.js";
import { draw, mutantsOf } from "./mutants.js";
import { reasonFor, scoreOf, tableOf } from "./report.js";
import { withMutants } from "./schemata.js";
import { coreFiles, partOf, ROOT } from "./scope.js";

const SOURCE = `export function run(n, log) {
  if (n > 3 && n !== 5) { log("big"); return 1; } else if (n === 2) log("two");
  try { log(n ? 7 : 8); } finally { log("end"); }
  return 0;
}
`;
const ALL = mutantsOf("source.ts", SOURCE);

/** Runs the source with all its mutants in it, one of them active. */
function run(active, n) {
  const code = withMutants(
    SOURCE,
    ALL.map((mutant, id) => ({ ...mutant, id })),
  );
  const said = [];
  const body = `${code.replace("export ", "")}; return run(n, log);`;
  const result = new Function("$mutant", "n", "log", body)(
    (id) => id === active,
    n,
    (word) => said.push(word),
  );
  return { result, said };
}

/** The same with the mutant written into the text. */
function runMutated({ start, end, replacement }, n) {
  const said = [];
  const body = `${(SOURCE.slice(0, start) + replacement + SOURCE.slice(end)).replace("export ", "")}; return run(n, log);`;
  const result = new Function("n", "log", body)(n, (word) => said.push(word));
  return { result, said };
}

const INPUTS = [0, 2, 3, 4, 5];

test("without an active mutant the program does what it did", () => {
  expect(INPUTS.map((n) => run(undefined, n))).toEqual([
    { result: 0, said: [8, "end"] },
    { result: 0, said: ["two", 7, "end"] },
    { result: 0, said: [7, "end"] },
    { result: 1, said: ["big"] },
    { result: 0, said: [7, "end"] },
  ]);
});

test.each(ALL.map((mutant, id) => [id, mutant]))("mutant %i, switched on, does what the mutated text does", (id, mutant) => {
  expect(INPUTS.map((n) => run(id, n))).toEqual(INPUTS.map((n) => runMutated(mutant, n)));
});

test("a mutant says where it is", () => {
  const moved = ALL.find(({ operator }) => operator === "boundary moved");
  expect(moved).toMatchObject({
    file: "source.ts",
    line: 2,
    code: SOURCE.split("\n")[1].trim(),
    original: "n > 3",
    replacement: "n >= 3",
  });
});

const texts = (mutants) => mutants.map(({ start, replacement }) => `${start} ${replacement}`);

test("the same seed draws the same mutants, another seed others", () => {
  const first = draw(ALL, { seed: "1", count: 6 });
  expect(texts(first)).toHaveLength(6);
  expect(texts(draw(ALL, { seed: "1", count: 6 }))).toEqual(texts(first));
  expect(texts(draw(ALL, { seed: "2", count: 6 }))).not.toEqual(texts(first));
});

test("a larger draw holds the smaller one", () => {
  expect(texts(draw(ALL, { seed: "1", count: 9 }))).toEqual(expect.arrayContaining(texts(draw(ALL, { seed: "1", count: 5 }))));
});

test("a draw is not larger than what there is", () => {
  expect(draw(ALL, { seed: "1", count: 10_000 })).toHaveLength(ALL.length);
});

test.each([
  ["src/a/b.test.ts", 0],
  ["src/a/b.integration.test.ts", 0],
  ["src/a/c.test.ts", 1],
  ["src/a/bc.test.ts", 1],
  ["src/c.test.ts", 2],
  ["src/x/c.test.ts", 3],
])("of src/a/b.ts, %s is at distance %i", (file, expected) => {
  expect(distance(file, "src/a/b.ts")).toBe(expected);
});

test.each([
  ["src/a/c.test.ts", true],
  ["src/c.test.ts", true],
  ["src/x/c.test.ts", false],
  ["src/a/b.integration.test.ts", false],
])("%s is near src/a/b.ts: %s", (file, expected) => {
  expect(isNear(file, "src/a/b.ts")).toBe(expected);
});

test.each([
  ["too slow", { killed: true, by: "the time limit" }],
  ["ended", { killed: true, by: "the end of the process" }],
  [
    { files: [{ file: "a.test.ts", ok: false, failed: "works" }], errors: [] },
    { killed: true, by: "a.test.ts > works" },
  ],
  [
    { files: [{ file: "a.test.ts", ok: false }], errors: [] },
    { killed: true, by: "a.test.ts > outside of its tests" },
  ],
  [
    { files: [{ file: "a.test.ts", ok: true }], errors: ["unhandled"] },
    { killed: true, by: "unhandled" },
  ],
  [
    { files: [{ file: "a.test.ts", ok: true }], errors: [] },
    { killed: false, because: "1 test file passed" },
  ],
])("the outcome %j decides about a mutant", (outcome, expected) => {
  expect(judged(outcome, 1)).toEqual(expected);
});

const reaching = (file, ms, ...ids) => ({ file, ms, reached: new Set(ids) });

/** A mutant written by hand. */
function planted(id, file, original, replacement) {
  const start = readFileSync(join(ROOT, file), "utf8").indexOf(original);
  return { id, file, start, end: start + original.length, kind: "expression", replacement };
}

test("a mutant is not killed by the failure of an earlier one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "talosmith-mutation-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const failing = planted(0, "packages/lib/units.ts", "mib >= factor", "mib < factor");
  const unnoticed = planted(1, "packages/lib/cidr.ts", "prefix <= 32", "prefix < 33");
  const mutants = [failing, unnoticed];
  const plan = (name, more) => {
    writeFileSync(join(folder, name), JSON.stringify({ mutants, cache: join(folder, "cache"), ...more }));
    return join(folder, name);
  };
  const tests = [reaching("packages/lib/units.test.ts", 100, 0), reaching("packages/lib/cidr.test.ts", 100, 1)];
  // One process, so the second mutant is tried where the first one was killed.
  await kill(mutants, { tests, besideMs: 20_000 }, { size: 1, plan, progress: () => {} });
  expect(failing.outcome).toEqual({ killed: true, by: expect.stringContaining("packages/lib/units.test.ts > ") });
  expect(unnoticed.outcome).toEqual({ killed: false, because: "1 test file passed" });
});

test("tests that do not come across a mutant are not run for it", () => {
  expect(testsFor({ id: 1, file: "a/b.ts" }, [reaching("a/b.test.ts", 1, 2)])).toEqual([]);
});

test("near tests come first, then quick ones, up to twenty seconds in all", () => {
  const tests = [
    reaching("x/slow.test.ts", 19_000, 1),
    reaching("x/quick.test.ts", 10, 1),
    reaching("a/c.test.ts", 900, 1),
    reaching("a/b.test.ts", 1_000, 1),
  ];
  expect(testsFor({ id: 1, file: "a/b.ts" }, tests).map(({ file }) => file)).toEqual([
    "a/b.test.ts",
    "a/c.test.ts",
    "x/quick.test.ts",
  ]);
});

test("a single slow test is run", () => {
  expect(testsFor({ id: 1, file: "a/b.ts" }, [reaching("x/slow.test.ts", 90_000, 1)])).toHaveLength(1);
});

test("the closest name decides which part a file belongs to", () => {
  expect(["src/environment/lock.ts", "src/environment/backup/archive.ts", "src/cli/main.ts"].map(partOf)).toEqual([
    "lock and files",
    "backup",
    undefined,
  ]);
});

test("the core holds no tests and nothing that only tests use", () => {
  const paths = coreFiles().map(({ path }) => path);
  expect(paths).toContain("src/platforms/proxmox/machine-end.ts");
  expect(paths.filter((path) => path.includes(".test.") || path.includes("/testing/"))).toEqual([]);
});

const ended = (file, killed) => ({ file, outcome: { killed } });

test("the score counts every survivor, whether explained or not", () => {
  expect(scoreOf([ended("a", true), ended("a", true), ended("a", true), ended("a", false)])).toBe(75);
});

test("every reason is about a mutant that exists", () => {
  const reasons = JSON.parse(readFileSync(join(import.meta.dirname, "survivors.json"), "utf8"));
  const all = coreFiles(reasons.map(({ file }) => file)).flatMap(({ path, text }) => mutantsOf(path, text));
  expect(reasons.filter((known) => !all.some((mutant) => reasonFor(mutant, [known]) !== undefined))).toEqual([]);
});

test("the table has a line for each part and one for all", () => {
  const mutants = [ended("src/engine/run.ts", true), ended("src/engine/run.ts", false), ended("packages/lib/secret.ts", true)];
  expect(tableOf(mutants).split("\n")).toEqual([
    "part             generated    killed  survived     score",
    "engine                   2         1         1    50.0 %",
    "redaction                1         1         0   100.0 %",
    "all                      3         2         1    66.7 %",
  ]);
});

test("a reason holds for the same text at another line, and for no other mutant", () => {
  const known = [
    {
      file: "a.ts",
      code: "if (a < b) c();",
      operator: "boundary moved",
      original: "a < b",
      replacement: "a <= b",
      reason: "b is odd",
    },
  ];
  const mutant = {
    file: "a.ts",
    line: 9,
    code: "if (a < b) c();",
    operator: "boundary moved",
    original: "a < b",
    replacement: "a <= b",
  };
  expect(reasonFor(mutant, known)).toBe("b is odd");
  expect(reasonFor({ ...mutant, file: "b.ts" }, known)).toBeUndefined();
  expect(reasonFor({ ...mutant, code: "while (a < b) c();" }, known)).toBeUndefined();
});
