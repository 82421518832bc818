import { afterAll, beforeAll, describe, test } from "vitest";
import { Crashes, crashEverywhere, waysOf } from "./crash-everywhere.ts";
import { isChange } from "./crash-points.ts";
import { faultEverywhere, Mishaps } from "./fault-everywhere.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";
import { EVERYTHING, inTurn } from "./sample.ts";
import type { Play, Scenario, Stage } from "./scenario.ts";
import { expectNoViolations } from "./violation.ts";

/** How many moments and faults of each scenario are tried without FULL=1; those of files and of other journal lines only with `files`. */
export interface Parts {
  crashes?: number;
  files?: true;
  faults?: number;
}

/** Declares tests of a play's scenarios, one after the other in one lab: a moment or fault is tried in one scenario only. */
export function recoveryTests<S extends Stage>(
  seed: string,
  { open, scenarios }: Play<S>,
  { crashes, files, faults }: Parts,
): void {
  let scene: S;
  let fresh: string;
  beforeAll(async () => {
    scene = await open(seed);
    fresh = scene.lab.snapshot();
  });
  afterAll(() => scene.close());

  const crashed = new Crashes();
  const broken = new Mishaps();
  const last: { scenario?: Scenario<S>; rehearsal?: Rehearsal } = {};
  const rehearsalOf = async (scenario: Scenario<S>): Promise<Rehearsal> => {
    const worth = (label: string) =>
      crashes !== undefined &&
      (files === true || EVERYTHING || isChange(label)) &&
      waysOf(label, crashed.of(scenario, label)).length > 0;
    if (last.scenario !== scenario || !last.rehearsal) last.rehearsal = await rehearse(scene, fresh, scenario, worth);
    last.scenario = scenario;
    return last.rehearsal;
  };
  const common = scenarios.filter(({ rare, next }) => (EVERYTHING || !rare) && (crashes !== undefined || !next));
  const played = inTurn(common, 4);
  describe.each(played)("$name", (scenario) => {
    if (crashes !== undefined)
      test("after a kill or power cut at any moment, the next command finishes the job", async () => {
        const how = { tried: crashed, atMost: crashes };
        expectNoViolations(await crashEverywhere(scene, scenario, await rehearsalOf(scenario), how));
      });
    if (faults !== undefined && !scenario.next)
      test("with one fault at any call site, the command succeeds, in a second run if necessary", async () => {
        const how = { tried: broken, atMost: faults };
        expectNoViolations(await faultEverywhere(scene, scenario, await rehearsalOf(scenario), how));
      });
  });
}
