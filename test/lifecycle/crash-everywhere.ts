import { expect } from "vitest";
import { FOLDER } from "./commands.ts";
import { isChange } from "./crash-points.ts";
import { enough, report, said, text } from "./invariants.ts";
import { saidWrong } from "./leaks.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { FULL, fairly } from "./sample.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { tally } from "./tally.ts";
import { expectNoViolations } from "./violation.ts";

/** How often each kind of moment was tried, and the tags of kinds: files and journal lines are the same in similar scenarios. */
export class Crashes {
  readonly times = new Map<string, number>();
  readonly tags = new Set<string>();

  of({ next }: { next?: unknown }, label: string): number {
    return this.times.get(`${next !== undefined} ${label}`) ?? 0;
  }

  add({ next }: { next?: unknown }, label: string): void {
    this.times.set(`${next !== undefined} ${label}`, this.of({ next }, label) + 1);
  }
}

/** The tag of a label: by step kind, by service, by file; a sample contains at least one of each. */
const tagOf = (label: string) =>
  label
    .split(" ")
    .slice(0, /^(call|file) /.test(label) ? 2 : 1)
    .join(" ");

/**
 * Between two file operations a power cut leaves less than a kill, so it is the harder test; during an operation it is the other way round. With
 * FULL=1 a change is tried both ways where it occurs first, and one way in other scenarios.
 */
export function waysOf(label: string, times: number): readonly ("killed" | "cut")[] {
  if (/^(file )?half/.test(label)) return times === 0 ? ["killed", "cut"] : [];
  if (!FULL || !isChange(label)) return times === 0 ? ["cut"] : [];
  return times === 0 ? ["killed", "cut"] : times === 1 ? ["killed"] : / × (before|after)$/.test(label) ? ["cut"] : [];
}

/** Runs the next command from every kind of moment of an undisturbed run: it must succeed each time, and all invariants must hold afterwards. */
export async function crashEverywhere<S extends Stage>(
  scene: S,
  scenario: Scenario<S>,
  { golden, wrongIn }: Rehearsal,
  { tried, atMost }: { tried: Crashes; atMost: number },
): Promise<string[]> {
  expectNoViolations(golden.unannounced.map((call) => `calls without a durable intent: ${call}`));
  expectNoViolations(golden.lockedTwice.map((when) => `the lock is held twice: ${when}`));
  const found: string[] = [];
  const crashed = new Set<string>();
  let recoveries = 0;
  for (const point of fairly(golden.points, ({ label }) => [tagOf(label)], atMost, tried.tags)) {
    const ways = waysOf(point.label, tried.of(scenario, point.label));
    tried.add(scenario, point.label);
    for (const how of ways) {
      if (enough(found)) break;
      scene.lab.restore(point.lab);
      const left = how === "killed" ? point.killed.afterKill() : point.cut.afterKill();
      const secrets = text(left, `${FOLDER}/secrets.yaml`);
      const again = await (scenario.next ?? ((at, from) => scenario.run(at, from, `${point.label} ${how}`)))(scene, left);
      const wrong = again.exitCode === 0 ? await wrongIn(left, secrets) : [`exit ${again.exitCode}: ${said(again)}`];
      report(found, `${how} at "${point.label}"`, [...wrong, ...saidWrong(left, again, scene.secrets())]);
      crashed.add(point.label);
      recoveries++;
    }
  }
  const points = [...golden.seen].filter(isChange);
  const ofThese = points.filter((label) => tried.of(scenario, label) > 0);
  tally(
    { scenario: scenario.name, points, crashed: [...crashed].filter(isChange), recoveries, violations: found.length },
    `${golden.seen.size} kinds of moments, ${ofThese.length} of ${points.length} points (step kind × mutation × before/after) crashed at, here or before; ${recoveries} recoveries`,
  );
  expect(points.length).toBeGreaterThan(0);
  return found;
}
