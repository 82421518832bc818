import { afterAll, beforeAll, expect, test } from "vitest";
import { readJournal } from "../../src/engine/journal.ts";
import { failingFiles } from "../support/failing-files.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said } from "./invariants.ts";
import { EVERYTHING } from "./sample.ts";
import { FOLDER, Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

// A disk that fills up while machines are created: running work ends, nothing is started without a journal entry, and with free space the same
// command finishes the job.

const POINTS = EVERYTHING ? 14 : 2;

let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("files", { perCallMs: 100, buildMs: 500 });
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());

function durableIntents(files: VolatileFiles): number {
  const left = files.afterCrash();
  const runs = left.list(`${FOLDER}/.talosmith/runs`) ?? [];
  const events = runs.flatMap((run) => readJournal(left, `${FOLDER}/.talosmith/runs/${run}/events.jsonl`));
  return events.filter((event) => event.type === "mutation.intent").length;
}

const mutatingCalls = () => scene.lab.recorder.calls().filter((call) => call.mutating).length;

test("a disk that fills up while machines are made: no call without a durable intent, and the next up finishes", async () => {
  const wishes = { workers: 1 };
  const counting = failingFiles(scene.folder(wishes), { at: 0, code: "ENOSPC" });
  expect((await scene.up(counting)).exitCode).toBe(0);
  const all = counting.operations.length;
  const found: string[] = [];
  for (let n = 0; n < POINTS; n++) {
    const at = 1 + Math.floor(((n + 0.5) * all) / POINTS);
    scene.lab.restore(fresh);
    scene.lab.recorder.clear();
    const files = scene.folder(wishes);
    const full = await scene.up(failingFiles(files, { at, code: "ENOSPC", lasting: true }));
    const errors = full.events.flatMap((event) => (event.type === "error" ? [event.error] : []));
    const wrong = errors.filter(({ code, hint }) => code !== "THROWN" && !hint);
    found.push(...wrong.map(({ message }) => `full at ${at} of ${all}: ${message}`));
    if (mutatingCalls() > durableIntents(files)) found.push(`full at ${at} of ${all}: more calls than durable intents`);
    const again = await scene.up(files);
    if (again.exitCode !== 0) found.push(`full at ${at} of ${all}: the next up: ${said(again)}`);
    const names = (await scene.root.vms()).map((vm) => vm.config.name).sort();
    if (names.join() !== "cp-1,worker-1") found.push(`full at ${at} of ${all}: there are ${names}`);
    const plan = await scene.plan(files);
    if (plan.exitCode !== 0) found.push(`full at ${at} of ${all}: the plan is not empty: ${said(plan)}`);
  }
  console.log(`lifecycle: disk full: ${POINTS} of ${all} operations; violations ${found.length}`);
  expectNoViolations(found);
});
