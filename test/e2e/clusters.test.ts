import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { talosmith } from "../support/child.ts";

// Clusters of other shapes than the demo's.

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-clusters-"));
  folder = join(home, "env");
});
afterEach(async () => {
  await talosmith(["lab", "stop", folder]);
  rmSync(home, { recursive: true });
});

async function isUp(summary: string, command = ["up", folder, "--yes"]): Promise<void> {
  const up = await talosmith(command);
  expect(up.exitCode, up.stdout + up.stderr).toBe(0);
  expect(up.stdout).toContain(summary);
  const plan = await talosmith(["plan", folder]);
  expect([plan.exitCode, plan.stdout]).toEqual([0, expect.anything()]);
  const verify = await talosmith(["verify", folder]);
  expect(verify.exitCode, verify.stdout).toBe(0);
}

test("three control planes share a virtual IP, at instant speed", async () => {
  const demo = ["demo", folder, "--speed", "instant", "--control-planes", "3", "--workers", "1"];
  await isUp("demo is up: 3 control planes, 1 worker, all Ready", demo);
});

test("an inventory in two files comes up, on Talos's own network and with the control plane's address as endpoint", async () => {
  const started = await talosmith(["lab", "start", folder, "--speed", "100", "--idle", "5"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  const plain = readFileSync(join(folder, "config.yaml"), "utf8")
    .replace("  cni: cilium\n", "")
    .replace(/^addons:[\s\S]*/m, "")
    .replace(/endpoint: (.*)\.5$/m, "endpoint: $1.11");
  const [cluster = "", nodes = ""] = plain.split(/^nodes:\n/m);
  writeFileSync(join(folder, "cluster.yaml"), cluster);
  writeFileSync(join(folder, "nodes.yaml"), `nodes:\n${nodes}`);
  rmSync(join(folder, "config.yaml"));
  await isUp("lab is up: 1 control plane, 2 workers, all Ready");
});
