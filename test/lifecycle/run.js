// npm run test:lifecycle [-- [--full [--part 2/8] [--tally FOLDER]] NAME...]: runs the lifecycle tests, or those in files with these names, and
// prints a table of what they covered. With a tally folder, the table covers all runs with the same folder.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, part: { type: "string" }, tally: { type: "string" } },
});
const FULL = values.full;
/** Only in a complete run is an untried point a gap. */
const WHOLE = FULL && values.part === undefined && names.length === 0;
const folder = values.tally === undefined ? mkdtempSync(join(tmpdir(), "talosmith-lifecycle-")) : resolve(values.tally);
mkdirSync(folder, { recursive: true });

function vitest() {
  const program = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const env = {
    ...process.env,
    LIFECYCLE_TALLY: folder,
    ...(FULL && { FULL: "1" }),
    ...(values.part && { LIFECYCLE_PART: values.part }),
  };
  const child = spawn(process.execPath, [program, "run", "--project", "lifecycle", ...names], { stdio: "inherit", env });
  return new Promise((done, failed) => child.on("error", failed).on("close", (code) => done(code ?? 1)));
}

const tallies = () =>
  readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );

const sum = (all, key) => all.reduce((total, one) => total + (one[key] ?? 0), 0);
const union = (all, key) => new Set(all.flatMap((one) => one[key] ?? []));
const percent = (part, whole) => (whole === 0 ? "" : ` (${Math.floor((100 * part) / whole)} %)`);

function table(all) {
  const [points, crashed, pairs, planned, fired] = ["points", "crashed", "pairs", "planned", "fired"].map((key) =>
    union(all, key),
  );
  const missed = [...points].filter((point) => !crashed.has(point));
  const silent = [...planned].filter((pair) => !fired.has(pair));
  const rows = [
    ["scenarios", new Set(all.map((one) => one.scenario)).size],
    [
      "crash points (step kind × mutation × before/after)",
      `${points.size - missed.length} of ${points.size} seen${percent(points.size - missed.length, points.size)}`,
    ],
    [
      "fault pairs (call site × fault kind)",
      `${fired.size} of ${planned.size} planned fired${percent(fired.size, planned.size)}, of ${pairs.size} there are${percent(fired.size, pairs.size)}`,
    ],
    ["seeds", sum(all, "seeds")],
    ["recoveries", sum(all, "recoveries")],
    ["violations", sum(all, "violations")],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const untried = [...pairs].filter((pair) => !planned.has(pair));
  const gaps = [
    ...missed.map((point) => `never crashed at: ${point}`),
    ...silent.map((pair) => `did not fire: ${pair}`),
    ...untried.map((pair) => `never tried: ${pair}`),
  ];
  if (WHOLE) lines.push(...gaps.map((gap) => `  ${gap}`));
  return { text: lines.join("\n"), gaps: WHOLE ? gaps.length : 0 };
}

const exitCode = await vitest();
const all = tallies();
if (values.tally === undefined) rmSync(folder, { recursive: true });
const { text, gaps } = table(all);
process.stdout.write(`\nlifecycle${FULL ? ", all of it" : ", a sample"}\n${text}\n`);
process.exitCode = exitCode !== 0 || sum(all, "violations") > 0 || gaps > 0 ? 1 : 0;
