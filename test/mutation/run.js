// npm run mutation: changes the core of the product in small ways, one at a time, and says which changes no test notices. See README.md.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { propertySeed } from "../runner/seed.js";
import { isNear, testsFor } from "./choose-tests.js";
import { loader } from "./imports.js";
import { draw, mutantsOf } from "./mutants.js";
import { runAll } from "./pool.js";
import { describe, reasonFor, scoreOf, tableOf } from "./report.js";
import { coreFiles, ROOT, testFiles } from "./scope.js";

const HELP = `npm run mutation -- [options]

Changes the core of the product in small ways, one at a time, and says which changes no test notices.

  --count N       draw at most N mutants (800)
  --seed N        draw others; the same seed draws the same ones (follows from the commit)
  --only PATH     mutants of this file or folder alone; can be repeated
  --near          run only tests in the folder of the mutated file and the one above
  --at-least N    fail if the score is below N percent
  --workers N     processes side by side (2)
  --json          print the result as JSON on standard output, progress on standard error
  --help          this text

Examples:
  npm run mutation                                     the whole run, about half an hour
  npm run mutation -- --only src/engine --count 50     while working on the engine
  npm run mutation -- --seed 7 --json > mutation.json  a result to compare with
`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "800" },
    seed: { type: "string", default: propertySeed() },
    only: { type: "string", multiple: true, default: [] },
    near: { type: "boolean", default: false },
    "at-least": { type: "string", default: "0" },
    workers: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const started = performance.now();
const minutes = () => `${((performance.now() - started) / 60_000).toFixed(1)} min`;
const say = (text) => (values.json ? process.stderr : process.stdout).write(`${text}\n`);
let shown = performance.now();
const progress = (text) => {
  if (performance.now() - shown < 10_000) return;
  shown = performance.now();
  say(`${minutes()}: ${text}`);
};
const size = Number(values.workers);
const GROUP = 12;

const folder = mkdtempSync(join(tmpdir(), "talosmith-mutation-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// What the tests of a mutant leave when they are ended goes with the folder.
process.env.TMPDIR = join(folder, "tmp");
mkdirSync(process.env.TMPDIR);
process.env.PROPERTY_SEED ??= values.seed;
// Made once, not by every tester: see test/support/rsa-key.ts.
process.env.RSA_KEY = join(folder, "rsa.pem");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
writeFileSync(process.env.RSA_KEY, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });

const all = coreFiles(values.only).flatMap(({ path, text }) => mutantsOf(path, text));
if (all.length === 0) {
  process.stderr.write(`No mutants: the core has no code in ${values.only.join(", ")} (see test/mutation/scope.js)\n`);
  process.exit(2);
}
const mutants = draw(all, { seed: values.seed, count: Number(values.count) });
say(`${mutants.length} of ${all.length} possible mutants, seed ${values.seed}`);

const tests = await reach();
await kill();
report();

/** A file with what a tester needs to know. */
function plan(name, more) {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ mutants, cache: join(folder, "cache"), ...more }));
  return path;
}

/** Runs the tests once without any mutant. Returns those that pass, with their time and the mutants they come across. */
async function reach() {
  const loads = loader();
  const mutated = [...new Set(mutants.map(({ file }) => file))];
  const files = testFiles().filter((test) =>
    values.near ? mutated.some((file) => isNear(test, file)) : mutated.some((file) => loads(test).has(file)),
  );
  say(`running ${files.length} test files without a mutant`);
  const notes = join(folder, "reach");
  mkdirSync(notes);
  const passed = new Map();
  await runAll(
    inGroups(files).map((group) => ({ group, task: { tests: group } })),
    {
      size,
      plan: plan("reach.json", { reach: notes }),
      limitMs: ({ group }) => group.length * 60_000,
      done: ({ group }, outcome) => {
        for (const { file, ok, ms } of outcome.files ?? []) if (ok) passed.set(file, { file, ms, reached: new Set() });
        for (const file of group) if (!passed.has(file)) say(`left out, fails without any mutant: ${file}`);
        progress(`${passed.size} of ${files.length} test files`);
      },
    },
  );
  const noted = readdirSync(notes).map((name) => JSON.parse(readFileSync(join(notes, name), "utf8")));
  const loading = [...new Set(noted.flatMap((note) => note.loading))];
  for (const { file, running } of noted) {
    const test = passed.get(relative(ROOT, file));
    if (!test) continue;
    const loaded = loads(test.file);
    test.reached = new Set([...running, ...loading.filter((id) => loaded.has(mutants[id].file))]);
  }
  return [...passed.values()];
}

/** Files of one group share a process and load modules once; slow ones are spread, because they are beside each other. */
function inGroups(files) {
  const groups = Array.from({ length: Math.ceil(files.length / GROUP) }, () => []);
  for (const [index, file] of files.entries()) groups[index % groups.length].push(file);
  return groups;
}

function isGood(outcome) {
  return (
    Array.isArray(outcome.files) && outcome.files.length > 0 && outcome.files.every(({ ok }) => ok) && outcome.errors.length === 0
  );
}

async function kill() {
  const works = mutants.map((mutant) => {
    const chosen = testsFor(mutant, tests);
    return {
      mutant,
      ms: chosen.reduce((sum, { ms }) => sum + ms, 0),
      task: { active: mutant.id, tests: chosen.map(({ file }) => file) },
    };
  });
  for (const { mutant } of works.filter(({ task }) => task.tests.length === 0))
    mutant.outcome = { killed: false, because: "no test comes across it" };
  const [waiting, killed] = [works.filter(({ task }) => task.tests.length > 0), []];
  let ended = mutants.length - waiting.length;
  await runAll(waiting, {
    size,
    plan: plan("kill.json", {}),
    // An endless loop is noticed by the person who waits for it.
    limitMs: ({ ms }) => 10_000 + 3 * ms,
    done: ({ mutant, task }, outcome) => {
      mutant.outcome = judged(outcome, task.tests);
      ended += 1;
      if (mutant.outcome.killed) killed.push(mutant);
      progress(`${ended} of ${mutants.length} mutants, ${killed.length} killed`);
    },
  });
}

function judged(outcome, tried) {
  if (typeof outcome === "string") return { killed: true, by: outcome };
  if (isGood(outcome)) return { killed: false, because: `${tried.length} test files pass` };
  const first = outcome.files.find(({ ok }) => !ok);
  return { killed: true, by: first ? `${first.file} > ${first.failed ?? "outside of its tests"}` : outcome.errors[0] };
}

function report() {
  const reasons = JSON.parse(readFileSync(join(import.meta.dirname, "survivors.json"), "utf8"));
  const survivors = mutants.filter(({ outcome }) => !outcome.killed);
  const score = scoreOf(mutants);
  if (values.json) {
    const told = mutants.map(({ id, start, end, kind, ...rest }) => ({ ...rest, reason: reasonFor(rest, reasons) }));
    process.stdout.write(`${JSON.stringify({ seed: values.seed, score, minutes: minutes(), mutants: told }, null, 2)}\n`);
  }
  const explained = (mutant) => reasonFor(mutant, reasons) ?? mutant.outcome.because;
  say(`\nsurvivors\n${survivors.map((mutant) => `  ${describe(mutant)}\n      ${explained(mutant)}`).join("\n")}`);
  say(`\n${tableOf(mutants)}\n\n${minutes()}, seed ${values.seed}`);
  if (score < Number(values["at-least"])) {
    say(`\nThe score is below ${values["at-least"]} %.`);
    process.exitCode = 1;
  }
}
