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

const BENCHMARKS: Record<string, () => Promise<Figure[]>> = {
  "cold-start": async () => [coldStart(join(ROOT, "talosmith"))],
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
  processes: () => processes(join(import.meta.dirname, "program/cli.js")),
  redaction: async () => redaction(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in BENCHMARKS));
if (unknown !== undefined) throw new Error(`no benchmark is called ${unknown}; there are ${Object.keys(BENCHMARKS).join(", ")}`);

const figures: Figure[] = [];
for (const [name, run] of Object.entries(BENCHMARKS))
  if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await run()));
printFigures(figures);
