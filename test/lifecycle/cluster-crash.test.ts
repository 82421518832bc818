import { afterAll, expect, test } from "vitest";
import { ALL_STAGES, type Stages } from "../../src/workflows/stages.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { type CrashPoint, goldenRun } from "./crash-points.ts";
import { enough, said, text } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { FOLDER, Scene } from "./scene.ts";

/* From machines that wait for their config to a verified cluster: cut off at every kind of moment, the same command finishes the job. */

const scenes: Scene[] = [];
afterAll(() => Promise.all(scenes.map((scene) => scene.close())));
async function open(seed: string): Promise<Scene> {
  const scene = await Scene.open(seed, { cluster: true });
  scenes.push(scene);
  return scene;
}

/** What judges only is left out of the many runs; whether all is well is asked anyway. */
const CHANGING: Stages = { from: "preflight", until: "addons" };

interface Recovered {
  found: string[];
  /** Distinct kinds of mutations it went through. */
  mutations: number;
}

/** Runs `up` once undisturbed, then again from every moment worth trying, and asks each time whether all is well afterwards. */
async function recoverFrom(
  scene: Scene,
  files: VolatileFiles,
  { title, worthTrying, ways }: { title: string; worthTrying: RegExp; ways(label: string): readonly ("killed" | "cut")[] },
): Promise<Recovered> {
  scene.lab.recorder.clear();
  const kept = FULL ? {} : { each: 1, worth: / × / };
  const golden = await goldenRun(scene, files, () => scene.up(files, { stages: ALL_STAGES }), kept);
  expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
  expect(golden.unannounced, "calls without a durable intent").toEqual([]);
  const tried = new Map<string, CrashPoint>();
  for (const point of golden.points)
    if (FULL || (worthTrying.test(point.label) && !tried.has(point.label)))
      tried.set(FULL ? `${point.label} ${tried.size}` : point.label, point);
  const found: string[] = [];
  let recoveries = 0;
  for (const point of sampled([...tried.values()])) {
    for (const how of FULL ? (["killed", "cut"] as const) : ways(point.label)) {
      if (enough(found)) break;
      scene.lab.restore(point.lab);
      const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
      const secrets = text(left, `${FOLDER}/secrets.yaml`);
      const again = await scene.up(left, { stages: FULL ? ALL_STAGES : CHANGING, seed: `${point.label} ${how}` });
      const wrong =
        again.exitCode === 0 ? await clusterViolations(scene, left, secrets) : [`exit ${again.exitCode}: ${said(again)}`];
      found.push(...wrong.map((line) => `${how} at "${point.label}": ${line}`));
      recoveries++;
    }
  }
  const mutations = new Set(golden.points.map((point) => point.label).filter((label) => / × (before|after)$/.test(label))).size;
  console.log(
    `lifecycle: ${title}: ${golden.points.length} moments; ${mutations} distinct (step kind × mutation × before/after) points; ${recoveries} recoveries; violations ${found.length}`,
  );
  return { found, mutations };
}

/** Machines that install themselves have more to be cut off in, and an ISO to let go of; the others are left to FULL=1. */
const METHODS = FULL ? (["iso", "import"] as const) : (["iso"] as const);

test.each(METHODS)(
  "cut off at any moment of bootstrap and addons, up finishes the job: one etcd, the same secrets (%s)",
  {
    timeout: 900_000,
  },
  async (method) => {
    const scene = await open("cluster");
    const files = scene.folder({ cilium: true, method });
    expect(await scene.up(files).then((outcome) => [outcome.exitCode, said(outcome)])).toEqual([0, expect.anything()]);
    const { found, mutations } = await recoverFrom(scene, files, {
      title: `cluster, by ${method}`,
      // Only those at which something remote had just changed: about to change is where the one before has left it.
      worthTrying: / × (after|took effect)/,
      // A power cut leaves no more of our folder than a kill does.
      ways: () => ["cut"],
    });
    expect(found).toEqual([]);
    expect(mutations).toBeGreaterThan(10);
    expect((await scene.root.vms()).map(({ config }) => config.ide0)).toEqual([undefined, undefined, undefined]);
  },
);

/** A firewall is tried before it is kept, and a file makes each node reboot: emptied before, opened afterwards. */
const CHANGE = (block: string) => `firewall: { admin: [127.0.0.0/8, ${block}.0/24] }
patches: { all: [{ machine: { udev: { rules: ['KERNEL=="x"'] } } }] }
`;

test("killed at any moment of a change that is tried, staged and rebooted into, up finishes the job: nobody stays cordoned", {
  timeout: 900_000,
}, async () => {
  const scene = await open("change");
  const files = scene.folder();
  const first = await scene.up(files, { stages: ALL_STAGES });
  expect(first.exitCode, said(first)).toBe(0);
  scene.configure(files, { extra: CHANGE(scene.at.block) });
  const { found, mutations } = await recoverFrom(scene, files, {
    title: "change of configs",
    worthTrying: / × (after|took effect)/,
    ways: () => ["killed"],
  });
  expect(found).toEqual([]);
  expect(mutations).toBeGreaterThan(10);
});
