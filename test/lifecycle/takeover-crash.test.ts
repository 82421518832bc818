import type { RescueState } from "@talosmith/lab/rescue/state.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { folderWith } from "./commands.ts";
import { said } from "./invariants.ts";
import { recoveryTests } from "./recovery-tests.ts";
import { RENTED } from "./rented-scenarios.ts";
import { RentedScene } from "./rented-scene.ts";
import { expectNoViolations } from "./violation.ts";

/*
 * One server is taken over; talosmith is killed, the power is cut, or the connection breaks at a byte of the image. The next `up` finishes the job.
 */

recoveryTests("takeover-recovery", RENTED, { crashes: 2 });

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

/** Violations after an `up` that reported success. */
async function wrongAfter(files: VolatileFiles, seed: string): Promise<string[]> {
  const up = await scene.up(files, { seed });
  if (up.exitCode !== 0) return [`exit ${up.exitCode}: ${said(up)}`];
  const plan = await scene.plan(files);
  return [
    ...(server()?.runs === "talos" ? [] : [`the server runs ${server()?.runs}`]),
    ...(plan.exitCode === 0 ? [] : [`the second plan is not empty: ${said(plan)}`]),
  ];
}

test.each([1, 1_000_000, 2_500_000])("the connection breaks after %i bytes of the image", async (bytes) => {
  scene.lab.restore(fresh);
  const files = folderWith(config);
  const fault = { kind: "task-error", message: `cut after ${bytes} bytes` } as const;
  // Three reads, then the tables at both ends.
  scene.lab.setFaults([{ service: "rescue", resource: "vps-1: dd", occurrence: 6, fault }]);
  scene.lab.recorder.clear();
  const first = await scene.up(files, { seed: `cut ${bytes}` });
  scene.lab.setFaults([]);
  const met = scene.lab.recorder.calls().filter((call) => call.fault === "task-error");
  expect(met.map(({ resource, mutating }) => [resource, mutating])).toEqual([["vps-1: dd", true]]);
  // The same run writes the image again from the first byte.
  const writes = first.events.filter((event) => event.type === "mutation.intent" && event.what === "write the image");
  expect([first.exitCode, writes.length], said(first)).toEqual([0, 2]);
  expectNoViolations(await wrongAfter(files, `after ${bytes}`));
});
