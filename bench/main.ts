import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { Scene } from "../test/lifecycle/scene.ts";
import { ROOT } from "../test/support/child.ts";
import { addonCalls } from "./addon-calls.ts";
import { callsByService } from "./calls.ts";
import { coldStart } from "./cold-start.ts";
import { type Figure, printFigures } from "./figure.ts";
import { generateThousand } from "./generate.ts";
import { planCalls } from "./plan-calls.ts";
import { processes } from "./processes.ts";
import { redaction } from "./redaction.ts";
import { scale } from "./scale.ts";
import { takeoverCalls } from "./takeover-calls.ts";
import { wholeUp } from "./whole-up.ts";

/** The program as users install it. */
const PROGRAM = join(import.meta.dirname, "program/cli.js");
/** The last results of each benchmark, in the repository. */
const RESULTS = join(ROOT, "bench/results.json");

const BENCHMARKS: Record<string, () => Promise<Figure[]>> = {
  "cold-start": async () => coldStart(PROGRAM, join(ROOT, "talosmith")),
  generate: async () => generateThousand(import.meta.dirname),
  "plan-calls": async () => {
    const scene = await Scene.open("bench");
    try {
      return await planCalls(scene, scene.lab.snapshot());
    } finally {
      await scene.close();
    }
  },
  "addon-calls": addonCalls,
  "takeover-calls": takeoverCalls,
  up: wholeUp,
  calls: callsByService,
  scale,
  processes: () => processes(PROGRAM),
  redaction: async () => redaction(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in BENCHMARKS));
if (unknown !== undefined) throw new Error(`no benchmark is called ${unknown}; there are ${Object.keys(BENCHMARKS).join(", ")}`);

const results: Record<string, Figure[]> = {};
for (const [name, run] of Object.entries(BENCHMARKS))
  if (wanted.length === 0 || wanted.includes(name)) results[name] = await run();
const figures = Object.values(results).flat();
printFigures(figures);
keep(results);
const missed = figures.filter(({ holds }) => holds === false);
console.log(missed.length === 0 ? "\nAll limits hold." : `\n${missed.length} limits do not hold.`);

/** Replaces the results of the benchmarks that ran. */
function keep(these: Record<string, Figure[]>): void {
  const { benchmarks: before = {} } = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
  const all = { ...before, ...these };
  const inOrder = Object.fromEntries(Object.keys(BENCHMARKS).flatMap((name) => (name in all ? [[name, all[name]]] : [])));
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  writeFileSync(RESULTS, `${JSON.stringify({ machine, benchmarks: inOrder }, undefined, 2)}\n`);
}
