import { expect } from "vitest";
import { ALL_STAGES, type Stages } from "../../src/workflows/stages.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { type CrashPoint, goldenRun } from "./crash-points.ts";
import { enough, said, text } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { FOLDER, type Scene } from "./scene.ts";

/** What judges only is left out of the many runs; whether all is well is asked anyway. */
export const CHANGING: Stages = { from: "preflight", until: "addons" };

export interface Recovered {
  found: string[];
  /** Distinct kinds of mutations it went through. */
  mutations: number;
}

export interface Crashing {
  title: string;
  worthTrying: RegExp;
  ways(label: string): readonly ("killed" | "cut")[];
  /** Which of the moments are tried: each fourth one unless it says otherwise. */
  every?: number;
  /** What must hold besides. */
  violations?(): string[];
}

/** Runs `up` once undisturbed, then again from every moment worth trying, and asks each time whether all is well afterwards. */
export async function recoverFrom(scene: Scene, files: VolatileFiles, crashing: Crashing): Promise<Recovered> {
  const { title, worthTrying, ways, violations = () => [] } = crashing;
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
  for (const point of sampled([...tried.values()], crashing.every)) {
    for (const how of FULL ? (["killed", "cut"] as const) : ways(point.label)) {
      if (enough(found)) break;
      scene.lab.restore(point.lab);
      const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
      const secrets = text(left, `${FOLDER}/secrets.yaml`);
      const again = await scene.up(left, { stages: FULL ? ALL_STAGES : CHANGING, seed: `${point.label} ${how}` });
      const wrong =
        again.exitCode === 0
          ? [...(await clusterViolations(scene, left, secrets)), ...violations()]
          : [`exit ${again.exitCode}: ${said(again)}`];
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
