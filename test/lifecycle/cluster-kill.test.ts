import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event, PlannedStep } from "../../src/engine/event.ts";
import type { Stage } from "../../src/engine/step.ts";
import { STAGES } from "../../src/workflows/stages.ts";
import { ROOT, talosmith } from "../support/child.ts";
import { labConfig } from "../support/config.ts";
import { talosInside } from "./cluster-invariants.ts";
import { FULL } from "./sample.ts";
import { Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

/* The program itself, killed with SIGKILL in each of its stages. */

const PRELOAD = ["--import", join(ROOT, "test/lifecycle/kill-at.mjs")];

let scene: Scene;
let home: string;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("cluster-kill", { cluster: true });
  fresh = scene.lab.snapshot();
  home = mkdtempSync(join(tmpdir(), "talosmith-kill-"));
});
afterAll(async () => {
  await scene.close();
  rmSync(home, { recursive: true });
});

function environment(): string {
  const folder = mkdtempSync(join(home, "env-"));
  writeFileSync(join(folder, "config.yaml"), labConfig(scene.at, { cilium: true, workers: 1 }));
  // The child uses the real clock, so it gets the lab's time scale from a wire file.
  writeFileSync(join(folder, "wire.yaml"), `connect: {}\ntimeScale: ${scene.lab.timeScale}\n`);
  return folder;
}

const run = (command: string, folder: string, env: Record<string, string> = {}) =>
  talosmith([command, folder, ...(command === "up" ? ["--yes"] : []), "--wire", join(folder, "wire.yaml")], {
    env: { LAB_TOKEN: scene.at.token, ...env },
    node: PRELOAD,
  });

function journal(folder: string): Event[] {
  const runs = join(folder, ".talosmith/runs");
  const lines = readFileSync(join(runs, readdirSync(runs).sort()[0] ?? "", "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** Stages that change a cluster; others are killed only with FULL=1 (machines in kill.test.ts, and every moment in memory in cluster-crash). */
const KILLED: readonly Stage[] = FULL ? STAGES : ["bootstrap", "addons"];

/** For each stage, a journal line written in its middle; with FULL=1 also one at its beginning. */
function linesByStage(events: readonly Event[]): Map<Stage, number[]> {
  const steps = events.flatMap((event): PlannedStep[] => (event.type === "steps" ? event.steps : []));
  const stageOf = new Map(steps.map((step) => [step.id, step.stage]));
  return new Map(
    KILLED.map((stage) => {
      const lines = events.flatMap((event, at) => ("step" in event && stageOf.get(event.step) === stage ? [at + 1] : []));
      const chosen = [...(FULL ? [lines[0]] : []), lines[Math.floor(lines.length / 2)]];
      return [stage, [...new Set(chosen)].flatMap((line) => line ?? [])];
    }),
  );
}

test("kill -9 in each stage, then up: it completes, without duplicate machines, with one etcd and the same secrets", async () => {
  const whole = environment();
  const golden = await run("up", whole);
  expect(golden.exitCode, golden.stdout + golden.stderr).toBe(0);
  const points = [...linesByStage(journal(whole))].flatMap(([stage, lines]) => lines.map((line) => ({ stage, line })));
  expect(new Set(points.map(({ stage }) => stage)).size).toBe(KILLED.length);

  const found: string[] = [];
  for (const { stage, line } of points) {
    scene.lab.restore(fresh);
    const folder = environment();
    const killed = await run("up", folder, { KILL_AT: String(line) });
    if (killed.signal !== "SIGKILL") found.push(`${stage}, line ${line}: it ended by itself: ${killed.stdout}${killed.stderr}`);
    const secrets = () => {
      try {
        return readFileSync(join(folder, "secrets.yaml"), "utf8");
      } catch {
        return undefined;
      }
    };
    const before = secrets();
    const again = await run("up", folder);
    if (again.exitCode !== 0) found.push(`${stage}, line ${line}: exit ${again.exitCode}: ${again.stdout}${again.stderr}`);
    if (before !== undefined && secrets() !== before) found.push(`${stage}, line ${line}: secrets.yaml was rewritten`);
    const { bootstraps } = talosInside(scene);
    if (bootstraps.length !== 1) found.push(`${stage}, line ${line}: etcd was bootstrapped ${bootstraps.length} times`);
    const names = (await scene.root.vms()).map((vm) => vm.config.name).sort();
    if (names.join() !== "cp-1,worker-1") found.push(`${stage}, line ${line}: machines are ${names.join()}`);
    const plan = await run("plan", folder);
    if (plan.exitCode !== 0) found.push(`${stage}, line ${line}: plan exits with ${plan.exitCode}: ${plan.stdout}`);
  }
  console.log(`lifecycle: cluster: kill -9 at ${points.length} lines in ${KILLED.length} stages; violations ${found.length}`);
  expectNoViolations(found);
});
