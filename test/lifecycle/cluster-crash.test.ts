import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { type CrashPoint, goldenRun } from "./crash-points.ts";
import { enough, said, text } from "./invariants.ts";
import { FOLDER, Scene } from "./scene.ts";

/* From machines that wait for their config to a verified cluster: cut off at every kind of moment, the same command finishes the job. */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open("cluster", { cluster: true });
});
afterAll(() => scene.close());

/** With FULL=1 every moment; else one of each kind, and only those at which something remote was about to change or just had. */
const FULL = process.env.FULL !== undefined;
const worthTrying = (label: string) => FULL || / × (before|after|took effect)/.test(label);

test("killed or cut off at any moment of bootstrap and addons, up finishes the job: one etcd, the same secrets", {
  timeout: 900_000,
}, async () => {
  const files = scene.folder({ cilium: true });
  expect(await scene.up(files).then((outcome) => [outcome.exitCode, said(outcome)])).toEqual([0, expect.anything()]);
  scene.lab.recorder.clear();
  const run = () => scene.up(files, { stages: ALL_STAGES });
  const golden = await goldenRun(scene, files, run);
  expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
  expect(golden.unannounced, "calls without a durable intent").toEqual([]);

  const tried = new Map<string, CrashPoint>();
  for (const point of golden.points)
    if (worthTrying(point.label) && (FULL || !tried.has(point.label)))
      tried.set(FULL ? `${point.label} ${tried.size}` : point.label, point);
  const found: string[] = [];
  let recoveries = 0;
  for (const point of tried.values()) {
    // What a pod did has nothing to do with what our disk kept.
    const ways = point.label.endsWith("by a pod") && !FULL ? (["killed"] as const) : (["killed", "cut"] as const);
    for (const how of ways) {
      if (enough(found)) break;
      scene.lab.restore(point.lab);
      const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
      const secrets = text(left, `${FOLDER}/secrets.yaml`);
      const again = await scene.up(left, { stages: ALL_STAGES, seed: `${point.label} ${how}` });
      const wrong =
        again.exitCode === 0 ? await clusterViolations(scene, left, secrets) : [`exit ${again.exitCode}: ${said(again)}`];
      found.push(...wrong.map((line) => `${how} at "${point.label}": ${line}`));
      recoveries++;
    }
  }
  const mutations = new Set(golden.points.map((point) => point.label).filter((label) => / × (before|after)$/.test(label)));
  console.log(
    `lifecycle: cluster: ${golden.points.length} moments; ${mutations.size} distinct (step kind × mutation × before/after) points; ${recoveries} recoveries; violations ${found.length}`,
  );
  expect(found).toEqual([]);
  expect(mutations.size).toBeGreaterThan(10);
});
