import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenRun } from "./crash-points.ts";
import { enough, foreignIn, said, text, violations } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { FOLDER, Scene } from "./scene.ts";
import { foreignVms } from "./strangers.ts";

let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open();
  await foreignVms(scene);
  fresh = scene.lab.snapshot();
});
afterAll(async () => {
  await scene.close();
  const all = [...total.points];
  console.log(
    `lifecycle: crashes in all: ${all.length} distinct (step kind × mutation × before/after) points, ${total.moments} kinds of moments, ${total.recoveries} recoveries, coverage ${Math.round((100 * all.filter((label) => total.tried.has(label)).length) / all.length)} %, violations ${total.violations}`,
  );
});

/** Over all scenarios: mutations that the golden runs made, and those that were crashed at. */
const total = { points: new Set<string>(), tried: new Set<string>(), moments: 0, recoveries: 0, violations: 0 };

/** How many moments of the same kind are tried; with FULL=1, all of them, in every scenario. */
const EACH = FULL ? Number.POSITIVE_INFINITY : 1;
/** Moments that are about files and lines of the journal are the same in every scenario that goes on alike. */
const triedBefore = new Set<string>();

/** What another command makes of such moments is asked for every third of them. */
function wasTriedBefore({ next }: Scenario, label: string): boolean {
  if (!/^(file|line|half)/.test(label)) return false;
  const general = `${next ? "next" : "same"} ${label}`;
  const before = triedBefore.has(general);
  triedBefore.add(general);
  const others = [...triedBefore].filter((one) => one.startsWith("next")).length;
  return before || (next !== undefined && others % 3 !== 1);
}

describe.each(SCENARIOS)("$name", (scenario) => {
  test("killed or cut off at any moment, the next command finishes the job", { timeout: 600_000 }, async () => {
    scene.lab.restore(fresh);
    const files = await scenario.prepare(scene);
    const foreign = await foreignIn(scene);
    scene.lab.recorder.clear();
    const golden = await goldenRun(scene, files, () => scenario.run(scene, files, "golden"), { each: EACH });
    expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
    expect(golden.unannounced, "calls without a durable intent").toEqual([]);
    const refused = scene.lab.recorder
      .calls()
      .filter((call) => call.mutating && (call.status ?? 0) >= 400 && !scenario.refused?.test(call.site));
    expect(refused, "changes that an undisturbed run asked for in vain").toEqual([]);

    const tried = new Map<string, number>();
    const found: string[] = [];
    let recoveries = 0;
    const worth = golden.points.filter((point) => {
      const times = tried.get(point.label) ?? 0;
      tried.set(point.label, times + 1);
      return times < EACH && !(EACH === 1 && wasTriedBefore(scenario, point.label));
    });
    for (const point of sampled(worth)) {
      total.tried.add(point.label);
      // Between two file operations a power cut leaves less than a kill does, and so asks for more; in the middle of one it is the other way round.
      const ways = EACH > 1 || /^(file )?half/.test(point.label) ? (["killed", "cut"] as const) : (["cut"] as const);
      for (const how of ways) {
        if (enough(found)) break;
        scene.lab.restore(point.lab);
        const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
        const secrets = text(left, `${FOLDER}/secrets.yaml`);
        const again = await (scenario.next ?? ((at, from) => scenario.run(at, from, `${point.label} ${how}`)))(scene, left);
        const wrong =
          again.exitCode === 0
            ? await violations(scene, left, { machines: scenario.machines, kept: scenario.kept ?? [], foreign, secrets })
            : [`exit ${again.exitCode}: ${said(again)}`];
        found.push(...wrong.map((line) => `${how} at "${point.label}": ${line}`));
        recoveries++;
      }
    }
    const mutations = [...tried.keys()].filter((label) => label.endsWith("× before") || label.endsWith("× after"));
    for (const label of mutations) total.points.add(label);
    total.moments += tried.size;
    total.recoveries += recoveries;
    total.violations += found.length;
    console.log(
      `lifecycle: ${scenario.name}: ${golden.points.length} moments of ${tried.size} kinds; ${mutations.length} distinct (step kind × mutation × before/after) points; ${recoveries} recoveries; violations ${found.length}`,
    );
    expect(found).toEqual([]);
    expect(mutations.length).toBeGreaterThan(0);
  });
});
