import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT, talosmith } from "../support/child.ts";

// The committed examples, copied and filled in as a user would, on a lab with their addresses.

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

const THREE = "1 control plane, 2 workers";

async function startLab(network: string, ...flags: string[]): Promise<(name: string) => string> {
  const lab = join(home, "lab");
  const started = await talosmith(["lab", "start", lab, "--speed", "100", "--idle", "5", "--network", network, ...flags]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  return (name) => readFileSync(join(lab, ".lab", name), "utf8").trim();
}

const run = (args: string[], env: Record<string, string> = {}) =>
  talosmith([...args, "--wire", join(home, "lab/.lab/wire.yaml")], { env });

async function comesUp(nodes: string, env: Record<string, string> = {}): Promise<void> {
  const up = await run(["up", folder, "--yes"], env);
  expect(up.exitCode, up.stdout + up.stderr).toBe(0);
  expect(up.stdout).toContain(`homelab is up: ${nodes}, all Ready`);
  const plan = await run(["plan", folder], env);
  expect(plan.exitCode, plan.stdout + plan.stderr).toBe(0);
}

test("environments/metal-example comes up without Proxmox; a node is replaced; down leaves the machines ready to come up again", async () => {
  await startLab("10.10.0.0/24", "--platform", "metal");
  cpSync(join(ROOT, "environments/metal-example"), folder, { recursive: true });
  await comesUp(THREE);
  const replaced = await run(["node", "replace", folder, "worker-1", "--yes"]);
  expect(replaced.exitCode, replaced.stdout + replaced.stderr).toBe(0);
  expect(replaced.stdout).toMatch(/machine worker-1 +replace .*\n +disk +config and data → wiped/);
  const down = await run(["down", folder, "--yes"]);
  expect(down.exitCode, down.stdout + down.stderr).toBe(0);
  expect(down.stdout).toContain("3 machines wiped");
  await comesUp(THREE);
});

test("environments/proxmox-example comes up once its fingerprint is filled in", async () => {
  const lab = await startLab("10.10.0.0/24", "--as", "192.168.122.70");
  cpSync(join(ROOT, "environments/proxmox-example"), folder, { recursive: true });
  const config = readFileSync(join(folder, "config.yaml"), "utf8");
  writeFileSync(join(folder, "config.yaml"), config.replace(/fingerprint: ".*?"/, `fingerprint: "${lab("fingerprint")}"`));
  await comesUp(THREE, { PROXMOX_TOKEN: lab("token") });
});

test("environments/vps-example comes up once its keys and networks are filled in, and a second up changes nothing", async () => {
  const lab = await startLab("203.0.113.0/24", "--platform", "vps");
  cpSync(join(ROOT, "environments/vps-example"), folder, { recursive: true });
  const config = readFileSync(join(folder, "config.yaml"), "utf8")
    .replace("# key: ~/.ssh/id_ed25519", `key: ${join(home, "lab/.lab/ssh-key")}`)
    .replace("admin: [198.51.100.0/24]", "admin: [127.0.0.1/32]")
    .replaceAll(
      /(serial: VPS-000(\d)[\s\S]*?hostKey: )"SHA256:[^"]*"/g,
      (_, before, n) => `${before}"${lab(`host-key-vps-${n}`)}"`,
    );
  writeFileSync(join(folder, "config.yaml"), config);
  await comesUp("3 control planes, 0 workers");
  const verified = await run(["verify", folder]);
  expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
  const again = await run(["up", folder, "--yes"]);
  expect(again.stdout).toContain("nothing had to be changed");
});
