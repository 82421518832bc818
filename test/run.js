// npm test, npm run check, npm run full: runs the parts of the suite (runner/parts.js) one after the other and ends with what each took, the slowest tests,
// what was flaky and what failed. `node test/run.js unit e2e` runs these parts alone.
import { appendFileSync } from "node:fs";
import { execute } from "./runner/execute.js";
import { rememberFlaky } from "./runner/flaky.js";
import { resumable } from "./runner/full.js";
import { GROUPS, PARTS } from "./runner/parts.js";
import { runProject } from "./runner/project.js";
import { propertySeed } from "./runner/seed.js";

const SLOWEST = 10;

const asked = process.argv.length > 2 ? process.argv.slice(2) : ["test"];
const names = asked.flatMap((name) => GROUPS[name] ?? [name]);
const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown part ${unknown.join(", ")}. Known: ${[...PARTS.map((part) => part.name), ...Object.keys(GROUPS)].join(", ")}`,
  );
  process.exit(1);
}

const seed = propertySeed();
const full = asked.includes("full") ? resumable() : undefined;
const env = { PROPERTY_SEED: seed, ...full?.env };

const rows = [];
const [tests, failures, flaky] = [[], [], []];

/** npm has installed before it started us; .ci/run tells when. */
if (process.env.CI_STARTED) rows.push(["install", Math.max(0, Date.now() / 1000 - Number(process.env.CI_STARTED))]);

for (const part of PARTS.filter(({ name }) => names.includes(name))) {
  if (full?.isDone(part)) continue;
  console.log(`\n== ${part.name}`);
  const ended = part.project
    ? await runProject(part.project, { env, ...full?.options(part) })
    : await execute(part.command, { env, ...full?.options(part) });
  tests.push(...(ended.tests ?? []));
  flaky.push(...(ended.flaky ?? []));
  const broken = part.project || ended.code === 0 ? [] : [{ name: part.name, message: `ended with ${ended.code}` }];
  const over = !full && ended.cpu > part.cpu ? [overCeiling(part, ended.cpu)] : [];
  const wrong = [...(ended.failures ?? []), ...broken, ...over];
  failures.push(...wrong);
  if (wrong.length === 0) full?.done(part);
  rows.push([part.name, ended.seconds, ended.cpu, full ? undefined : part.cpu, wrong.length === 0 ? "ok" : "FAILED"]);
}

function overCeiling({ name, cpu }, used) {
  return {
    name,
    message: `used ${Math.round(used)} s of processor time, more than its ceiling of ${cpu} s (test/runner/parts.js)`,
  };
}

const seconds = (value) => (value === undefined ? "" : `${value.toFixed(0)} s`).padStart(7);
const table = rows.map(
  ([name, took, cpu, ceiling, outcome = ""]) =>
    `${name.padEnd(14)}${seconds(took)}${seconds(cpu)}${seconds(ceiling)}  ${outcome}`,
);
table.unshift(`${"part".padEnd(14)}${"time".padStart(7)}${"cpu".padStart(7)}${"at most".padStart(8)}`);
const slowest = tests.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
const end = [
  ...(slowest.length > 0
    ? [
        "slowest tests",
        ...slowest.map(({ ms, file, name }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file} > ${name}`),
        "",
      ]
    : []),
  ...table,
  ...failures.map(({ file, name, message }) => `\nfailed: ${file ? `${file} > ` : ""}${name}\n  ${message}`),
  ...flaky.map(
    ({ file, name, message }) => `\nFLAKY: ${file} > ${name} (PROPERTY_SEED=${seed}): failed, then passed alone\n  ${message}`,
  ),
].join("\n");
console.log(`\n${end}`);
if (process.env.CI_REPORT) appendFileSync(process.env.CI_REPORT, `${end}\n`);
rememberFlaky(flaky, seed);

const count = (state) => tests.filter((one) => one.state === state).length;
if (tests.length > 0) console.log(`\n${count("passed")} passed, ${failures.length} failed, ${count("skipped")} skipped`);
process.exitCode = failures.length > 0 ? 1 : 0;
