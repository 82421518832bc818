// npm run mutation: changes the core of the product in small ways, one at a time, and says which changes no test notices. See README.md.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { propertySeed } from "../runner/seed.js";
import { kill, TIME_LIMIT } from "./kill.js";
import { draw, mutantsOf } from "./mutants.js";
import { reach } from "./reach.js";
import { describe, reasonFor, scoreOf, tableOf } from "./report.js";
import { coreFiles } from "./scope.js";

const HELP = `npm run mutation -- [options]

Changes the core of the product in small ways, one at a time, and says which changes no test notices.

  --count N       draw at most N mutants (800)
  --seed N        draw others; the same seed draws the same ones (follows from the commit)
  --only PATH     mutants of this file or folder alone; can be repeated
  --near          run only the unit tests in the folder of the mutated file and the one above
  --at-least N    fail if the score is below N percent
  --workers N     processes side by side (2)
  --json          print the result as JSON on standard output, progress on standard error
  --help          this text

Examples:
  npm run mutation                                     the whole run, about half an hour
  npm run mutation -- --only src/engine --count 50     while working on the engine
  npm run mutation -- --seed 7 --json > mutation.json  a result to compare with
`;

const values = read();
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

const folder = mkdtempSync(join(tmpdir(), "talosmith-mutation-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// What the tests of a mutant leave when they are ended goes with the folder.
process.env.TMPDIR = join(folder, "tmp");
mkdirSync(process.env.TMPDIR);
process.env.PROPERTY_SEED ??= values.seed;
const all = coreFiles(values.only).flatMap(({ path, text }) => mutantsOf(path, text));
if (all.length === 0) {
  process.stderr.write(`No mutants: the core has no code in ${values.only.join(", ")} (see test/mutation/scope.js)\n`);
  process.exit(2);
}
const mutants = draw(all, { seed: values.seed, count: Number(values.count) });
say(`${mutants.length} of ${all.length} possible mutants, seed ${values.seed}`);

// Made once, not by every tester: see test/support/rsa-key.ts.
process.env.RSA_KEY = join(folder, "rsa.pem");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
writeFileSync(process.env.RSA_KEY, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });

const options = { folder, size: Number(values.workers), near: values.near, plan, say, progress };
await kill(mutants, await reach(mutants, options), options);
report();

/** A file with what a tester needs to know. */
function plan(name, more) {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ mutants, cache: join(folder, "cache"), ...more }));
  return path;
}

function read() {
  try {
    const { values: given } = parseArgs({
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
    for (const name of ["count", "seed", "workers", "at-least"])
      if (!/^\d+$/.test(given[name])) throw new Error(`--${name} must be a number, not "${given[name]}"`);
    return given;
  } catch (error) {
    process.stderr.write(`${error.message}\nnpm run mutation -- --help shows the options.\n`);
    return process.exit(2);
  }
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
  const slow = mutants.filter(({ outcome }) => outcome.by === TIME_LIMIT).length;
  say(`\n${tableOf(mutants)}\n\n${slow} killed by the time limit. ${minutes()}, seed ${values.seed}`);
  if (score < Number(values["at-least"])) {
    say(`\nThe score is below ${values["at-least"]} %.`);
    process.exitCode = 1;
  }
}
