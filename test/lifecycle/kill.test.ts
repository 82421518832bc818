import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readMark } from "../../src/platforms/proxmox/mark.ts";
import { ROOT, talosmith } from "../support/child.ts";
import { labConfig } from "../support/config.ts";
import type { LabVm } from "../support/root.ts";
import { Scene } from "./scene.ts";
import { foreignVms } from "./strangers.ts";
import { expectNoViolations } from "./violation.ts";

const POINTS = process.env.FULL ? 30 : 3;
const PRELOAD = ["--import", join(ROOT, "test/lifecycle/kill-at.mjs")];

let scene: Scene;
let fresh: string;
const folders: string[] = [];

beforeAll(async () => {
  scene = await Scene.open("kill");
  await foreignVms(scene);
  fresh = scene.lab.snapshot();
});
afterAll(async () => {
  await scene.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function environment(): string {
  const folder = mkdtempSync(join(tmpdir(), "talosmith-kill-"));
  folders.push(folder);
  writeFileSync(join(folder, "config.yaml"), labConfig(scene.at));
  return folder;
}

const up = (folder: string, env: Record<string, string> = {}) =>
  talosmith(["up", folder, "--until", "provision", "--yes"], {
    env: { LAB_TOKEN: scene.at.token, ...env },
    node: PRELOAD,
  });

function journalLines(folder: string): string[] {
  const runs = join(folder, ".talosmith/runs");
  const [first] = readdirSync(runs).sort();
  return readFileSync(join(runs, first ?? "", "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean);
}

/** The machines by node, without their derived ids. */
function essence(vms: readonly LabVm[]): string[] {
  return vms
    .map((vm) => {
      const mark = readMark(vm.config.description);
      const { cores, memory, cpu, scsi0, ipconfig0, onboot } = vm.config;
      return JSON.stringify([
        mark?.node ?? vm.config.name,
        vm.node,
        vm.running,
        cores,
        memory,
        cpu,
        String(scsi0).replace(/vm-\d+/, "vm-…"),
        ipconfig0,
        onboot,
      ]);
    })
    .sort();
}

test(`kill -9 at ${POINTS} lines of the journal: the same command reaches the state of an undisturbed run`, async () => {
  const whole = environment();
  expect(await up(whole)).toMatchObject({ exitCode: 0 });
  const expected = essence(await scene.root.vms());
  const lines = journalLines(whole).length;
  const count = Math.min(POINTS, lines - 1);
  const at = Array.from({ length: count }, (_, n) => 1 + Math.floor((n * (lines - 1)) / count));
  expect(new Set(at).size).toBeGreaterThanOrEqual(POINTS);

  const found: string[] = [];
  let killed = 0;
  for (const line of at) {
    scene.lab.restore(fresh);
    const folder = environment();
    const first = await up(folder, { KILL_AT: String(line) });
    if (first.signal === "SIGKILL") killed++;
    else found.push(`line ${line}: the child ended by itself: ${first.stdout}${first.stderr}`);
    if (journalLines(folder).length !== line) found.push(`line ${line}: the journal has ${journalLines(folder).length} lines`);
    const again = await up(folder);
    if (again.exitCode !== 0) found.push(`line ${line}: exit ${again.exitCode}: ${again.stdout}${again.stderr}`);
    const now = essence(await scene.root.vms());
    if (JSON.stringify(now) !== JSON.stringify(expected)) found.push(`line ${line}: ${now.join(" ")}`);
    const plan = await talosmith(["plan", folder, "--until", "provision"], { env: { LAB_TOKEN: scene.at.token } });
    if (plan.exitCode !== 0) found.push(`line ${line}: plan exits with ${plan.exitCode}: ${plan.stdout}${plan.stderr}`);
  }
  console.log(`lifecycle: kill -9: ${killed} children killed at distinct lines of ${lines}; violations ${found.length}`);
  expectNoViolations(found);
});
