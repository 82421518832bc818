import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_STAGES, type Stages } from "../../src/workflows/stages.ts";
import { faultsEverywhere } from "./faults-everywhere.ts";
import { FULL } from "./sample.ts";
import { Scene } from "./scene.ts";

/* From machines that wait for their config to a cluster whose nodes are Ready, with one call after the other going wrong. */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open("cluster-faults", { cluster: true });
});
afterAll(() => scene.close());

/** With FULL=1 also the calls of those that only judge. Those of Helm's installs go wrong in addons-recovery. */
const STAGES: Stages = FULL ? ALL_STAGES : { from: "preflight", until: "addons" };

test("one fault at any call to a node or to Kubernetes, and up, run again if it must be, still ends right", {
  timeout: 900_000,
}, async () => {
  const files = scene.folder({ cilium: FULL });
  expect((await scene.up(files)).exitCode).toBe(0);
  const { found, fired, pairs } = await faultsEverywhere(scene, {
    title: "cluster",
    from: { lab: scene.lab.snapshot(), files },
    run: (folder, seed) => scene.up(folder, { stages: STAGES, seed }),
  });
  expect(found).toEqual([]);
  // What is asked while waiting depends on how long that takes: a call of the first run need not be made in the next.
  expect(fired).toBeGreaterThan(pairs * 0.9);
});
