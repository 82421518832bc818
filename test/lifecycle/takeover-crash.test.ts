import { afterAll, beforeAll, expect, test } from "vitest";
import type { RescueState } from "../../src/lab/rescue/state.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { folderWith } from "./commands.ts";
import { type CrashPoint, goldenRun } from "./crash-points.ts";
import { enough, said } from "./invariants.ts";
import { RentedScene } from "./rented-scene.ts";
import { sampled } from "./sample.ts";

/* One server is taken over; talosmith is killed, the power is cut, or the connection breaks at a byte of the image. The next `up` ends it. */

let scene: RentedScene;
let fresh: string;
let config: string;

beforeAll(async () => {
  scene = await RentedScene.open("takeover-crash", [{ name: "vps-1", address: 11 }]);
  config = scene.config();
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());

const server = () => scene.lab.state<RescueState>("rescue").servers[0];

/** What is wrong after an `up` that said it was done. */
async function wrongAfter(files: VolatileFiles, seed: string): Promise<string[]> {
  const up = await scene.up(files, { seed });
  if (up.exitCode !== 0) return [`exit ${up.exitCode}: ${said(up)}`];
  const plan = await scene.plan(files);
  return [
    ...(server()?.runs === "talos" ? [] : [`the server runs ${server()?.runs}`]),
    ...(plan.exitCode === 0 ? [] : [`the second plan is not empty: ${said(plan)}`]),
  ];
}

test("killed or cut off at any moment, the next up finishes the takeover", { timeout: 600_000 }, async () => {
  const files = folderWith(config);
  scene.lab.recorder.clear();
  const golden = await goldenRun(scene, files, () => scene.up(files), { each: 1, worth: / × |takeover|\.json/ });
  expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
  const kinds = golden.points.map(({ label }) => label).filter((label) => label.startsWith("machine × "));
  expect(kinds).toHaveLength(12);
  const found: string[] = [];
  let recoveries = 0;
  for (const [at, point] of sampled<CrashPoint>(golden.points, 5).entries()) {
    if (enough(found)) break;
    const how = at % 2 === 0 ? "killed" : "cut";
    scene.lab.restore(point.lab);
    const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
    found.push(...(await wrongAfter(left, `${point.label} ${how}`)).map((wrong) => `${how} at "${point.label}": ${wrong}`));
    recoveries++;
  }
  console.log(
    `lifecycle: takeover: ${golden.points.length} moments, ${kinds.length} of the disk, ${recoveries} recoveries, violations ${found.length}`,
  );
  expect(found).toEqual([]);
});

test.each([1, 1_000_000, 2_500_000])("the connection breaks after %i bytes of the image", async (bytes) => {
  scene.lab.restore(fresh);
  const files = folderWith(config);
  const fault = { kind: "task-error", message: `cut after ${bytes} bytes` } as const;
  // Three looks, then the tables at both ends.
  scene.lab.setFaults([{ service: "rescue", resource: "vps-1: dd", occurrence: 6, fault }]);
  scene.lab.recorder.clear();
  const first = await scene.up(files, { seed: `cut ${bytes}` });
  scene.lab.setFaults([]);
  const met = scene.lab.recorder.calls().filter((call) => call.fault === "task-error");
  expect(met.map(({ resource, mutating }) => [resource, mutating])).toEqual([["vps-1: dd", true]]);
  // The same run begins again from the first byte.
  const writes = first.events.filter((event) => event.type === "mutation.intent" && event.what === "write the image");
  expect([first.exitCode, writes.length], said(first)).toEqual([0, 2]);
  expect(await wrongAfter(files, `after ${bytes}`)).toEqual([]);
});
