import type { Recorded } from "@talosmith/lab/kernel/kernel.ts";
import { expect } from "vitest";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { type Golden, goldenRun } from "./crash-points.ts";
import { said } from "./invariants.ts";
import type { Scenario, Stage } from "./scenario.ts";

/** A scenario that was run once, undisturbed. */
export interface Rehearsal {
  /** The state in which the command started. */
  start: { lab: string; files: VolatileFiles };
  golden: Golden;
  calls: readonly Recorded[];
  wrongIn: Awaited<ReturnType<Scenario<Stage>["judge"]>>;
}

export async function rehearse<S extends Stage>(
  scene: S,
  fresh: string,
  scenario: Scenario<S>,
  worth: (label: string) => boolean,
): Promise<Rehearsal> {
  scene.lab.setFaults([]);
  scene.lab.restore(fresh);
  const files = await scenario.prepare(scene);
  const wrongIn = await scenario.judge(scene);
  const start = { lab: scene.lab.snapshot(), files: files.afterKill() };
  scene.lab.recorder.clear();
  const golden = await goldenRun(scene, files, () => scenario.run(scene, files, "golden"), { worth });
  expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
  const calls = [...scene.lab.recorder.calls()];
  const refused = calls.filter(
    (call) => call.mutating && !call.inside && (call.status ?? 0) >= 400 && !scenario.refused?.test(call.site),
  );
  expect(refused, "changes of an undisturbed run that were refused").toEqual([]);
  return { start, golden, calls, wrongIn };
}
