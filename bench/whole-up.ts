import type { Stage } from "../src/engine/step.ts";
import { STAGES } from "../src/workflows/stages.ts";
import { type Figure, printTable } from "./figure.ts";
import { pathTo, type Stretch } from "./lab-work.ts";
import { lifelike, type Pace, virtual } from "./pace.ts";
import { type Ran, Site } from "./site.ts";

/** The cluster of `talosmith demo`. */
export const DEMO = { name: "demo", controlPlanes: 1, workers: 2, cilium: true };

/** Ten times faster than real time: a second of computing, of talosmith and the lab, counts as ten. */
const SCALE = 10;

interface Up {
  ms: number;
  /** Time at which the last step of each stage ended. */
  stages: Map<Stage, number>;
  path: Stretch[];
}

async function demoUp(pace: Pace): Promise<Up> {
  const site = await Site.open(pace, DEMO);
  try {
    const ran = await site.up();
    return { ms: ran.to - ran.from, stages: stageEnds(ran), path: pathTo(ran.to, ran.from, site.work.all) };
  } finally {
    await site.close();
    pace.end();
  }
}

function stageEnds({ events }: Ran): Map<Stage, number> {
  const stageOf = new Map(
    events.flatMap(({ event }) => (event.type === "steps" ? event.steps.map((one): [string, Stage] => [one.id, one.stage]) : [])),
  );
  const ends = new Map<Stage, number>();
  for (const { at, event } of events) {
    const stage = event.type === "step.finished" ? stageOf.get(event.step) : undefined;
    if (stage) ends.set(stage, Math.max(at, ends.get(stage) ?? 0));
  }
  return ends;
}

/** Measures a whole `up` relative to the critical path of its simulated work, and where the rest was spent. README.md explains the values. */
export async function wholeUp(): Promise<Figure[]> {
  const ideal = await demoUp(virtual({ rings: true }));
  const polled = await demoUp(virtual({ rings: false }));
  const lived = await demoUp(lifelike(SCALE));
  console.log("\nThe critical path of a demo-sized up, as the lab's work");
  printTable(ideal.path.map(({ what, ms }) => [WORDS[what] ?? what, seconds(ms)]));
  console.log("\nWhen each stage was over");
  const when = (run: Up, stage: Stage) => seconds(run.stages.get(stage) ?? 0);
  printTable([
    ["stage", "critical path", "with our waits", `lived, ${SCALE}× faster`],
    ...STAGES.map((stage) => [stage, when(ideal, stage), when(polled, stage), when(lived, stage)]),
  ]);
  console.log();
  const computing = (lived.ms - polled.ms) / SCALE;
  const over = (ms: number) => `${(ms / ideal.ms).toFixed(3)}×`;
  const path = seconds(ideal.ms);
  return [
    {
      name: "up over the critical path, at the pace of life",
      value: `${over(polled.ms + computing)} (${seconds(polled.ms + computing)} over ${path})`,
      limit: "≤ 1.15×",
      holds: polled.ms + computing <= 1.15 * ideal.ms,
    },
    { name: "  of it, our waits notice late", value: `+${seconds(polled.ms - ideal.ms)}`, limit: over(polled.ms) },
    { name: "  of it, calls and computing, ours and the lab's", value: `+${seconds(computing)}`, limit: "real time" },
    { name: `the same ${SCALE}× faster than life, as measured`, value: `${over(lived.ms)} (${seconds(lived.ms)})`, limit: "" },
    { name: "the same without the factory's build", value: withoutBuild(ideal, polled.ms + computing), limit: "≤ 1.15×" },
  ];
}

/** Half of the path is one wait in which nothing happens; the ratio must not depend on it. */
function withoutBuild({ ms, path }: Up, took: number): string {
  const build = path[0]?.what === ANSWER ? path[0].ms : 0;
  return `${((took - build) / (ms - build)).toFixed(3)}× (${seconds(took - build)} over ${seconds(ms - build)})`;
}

const ANSWER = "an answer that takes its time, or a program";

const WORDS: Readonly<Record<string, string>> = {
  [ANSWER]: "the factory builds the image",
  "proxmox download": "Proxmox downloads it",
  "proxmox qmcreate": "the machine is made, its disk written",
  "proxmox resize": "the disk grows",
  "proxmox qmstart": "the machine starts",
  "talos.booted": "Talos boots",
  "talos.api": "from the config to an API with certificates",
  "talos.etcd-start": "etcd starts",
  "kubernetes.look": "Kubernetes: images, Helm, agents, nodes, pods",
};

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
