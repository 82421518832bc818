import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT, talosmith } from "../support/child.ts";

// The committed examples, copied and filled in as a person would, on a lab that has their addresses.

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-examples-"));
  folder = join(home, "homelab");
});
afterEach(async () => {
  await talosmith(["lab", "stop", join(home, "lab")]);
  rmSync(home, { recursive: true });
});

async function startLab(...flags: string[]): Promise<(name: string) => string> {
  const lab = join(home, "lab");
  const started = await talosmith(["lab", "start", lab, "--speed", "100", "--idle", "5", "--network", "10.10.0.0/24", ...flags]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  return (name) => readFileSync(join(lab, ".lab", name), "utf8").trim();
}

async function comesUp(env: Record<string, string> = {}): Promise<void> {
  const run = (...args: string[]) => talosmith([...args, "--wire", join(home, "lab/.lab/wire.yaml")], { env });
  const up = await run("up", folder, "--yes");
  expect(up.exitCode, up.stdout + up.stderr).toBe(0);
  expect(up.stdout).toContain("homelab is up: 1 control plane, 2 workers, all Ready");
  const plan = await run("plan", folder);
  expect(plan.exitCode, plan.stdout + plan.stderr).toBe(0);
}

test("environments/metal-example comes up, with no Proxmox anywhere", async () => {
  await startLab("--platform", "metal");
  cpSync(join(ROOT, "environments/metal-example"), folder, { recursive: true });
  await comesUp();
});

test("environments/proxmox-example comes up once its fingerprint is filled in", async () => {
  const told = await startLab("--as", "192.168.122.70");
  cpSync(join(ROOT, "environments/proxmox-example"), folder, { recursive: true });
  const config = readFileSync(join(folder, "config.yaml"), "utf8");
  writeFileSync(join(folder, "config.yaml"), config.replace(/fingerprint: ".*?"/, `fingerprint: "${told("fingerprint")}"`));
  await comesUp({ PROXMOX_TOKEN: told("token") });
});
