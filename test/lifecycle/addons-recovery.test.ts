import { afterAll, beforeAll, expect, test } from "vitest";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { bootstrapped, leftRights } from "./addons-scene.ts";
import { faultsEverywhere } from "./faults-everywhere.ts";
import { CHANGING, recoverFrom } from "./recover.ts";
import type { Scene } from "./scene.ts";

/* Cilium, presets, a chart, a manifest and a Secret: cut off at every kind of moment, the same command finishes the job. */

/** Each run installs five addons, and steps/addons tries every single moment on a cluster in memory. */
const EVERY = 24;

let scene: Scene;
let files: VolatileFiles;
let fresh: string;
beforeAll(async () => {
  const start = await bootstrapped("addons-recovery");
  ({ scene, files } = start);
  expect(start.exitCode).toBe(0);
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());

test("cut off at any moment of addons, up finishes the job, and nobody keeps rights", { timeout: 900_000 }, async () => {
  const { found, mutations } = await recoverFrom(scene, files.afterKill(), {
    title: "addons",
    worthTrying: / × (after|took effect)/,
    ways: () => ["cut"],
    every: EVERY,
    violations: () => leftRights(scene),
  });
  expect(found).toEqual([]);
  expect(mutations).toBeGreaterThan(20);
});

test("one fault at any call, and up, run again if it must be, still ends right", { timeout: 900_000 }, async () => {
  const { found, fired, pairs } = await faultsEverywhere(scene, {
    title: "addons",
    from: { lab: fresh, files },
    every: EVERY,
    run: (folder, seed) => scene.up(folder, { stages: CHANGING, seed }),
    violations: () => leftRights(scene),
  });
  expect(found).toEqual([]);
  expect(fired).toBeGreaterThan(pairs * 0.9);
});
