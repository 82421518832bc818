import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { talosmith } from "../support/child.ts";

// One cluster of Talos 1.14, in that release's own format, with changes of its configs and secrets.

const home = mkdtempSync(join(tmpdir(), "talosmith-talos-"));
const folder = join(home, "env");
const file = (name: string) => join(folder, name);
const run = (...args: string[]) => talosmith([args[0] ?? "", folder, ...args.slice(1)], { ownKeys: true });
const output = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;

const WORKERS = `  - name: worker
    role: worker
    count: 2
    ip: IP
    labels: { tier: general }
    taints: ["dedicated=batch:PreferNoSchedule"]
    sysctls: { vm.max_map_count: "262144" }
    ephemeral: { maxSize: 10GiB }
    volumes: [{ name: data, minSize: 2GiB, maxSize: 4GiB }]
firewall: { admin: [127.0.0.0/8], open: [{ name: web, ports: [80, 443], on: worker }] }
registries: { docker.io: { mirrors: "https://mirror.example.test" } }
patches:
  worker: [patches/watchdog.yaml]
`;

beforeAll(async () => {
  const started = await talosmith(["lab", "start", folder, "--speed", "30", "--idle", "5"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  const config = readFileSync(file("config.yaml"), "utf8")
    .replace("talos: v1.13.9", "talos: v1.14.1")
    .replace(/^ {2}- \{ name: worker, role: worker, count: 2, ip: (\S+) \}\n/m, (_, ip) => WORKERS.replace("IP", ip));
  expect(config).toContain("patches/watchdog.yaml");
  mkdirSync(file("patches"));
  const watchdog = "apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\ntimeout: 2m0s\n";
  writeFileSync(file("patches/watchdog.yaml"), watchdog);
  writeFileSync(file("config.yaml"), config);
});

afterAll(async () => {
  await talosmith(["lab", "stop", folder]);
  rmSync(home, { recursive: true });
});

function edit(from: string | RegExp, to: string): void {
  const before = readFileSync(file("config.yaml"), "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  writeFileSync(file("config.yaml"), after);
}

async function isSettled(): Promise<void> {
  const plan = await run("plan");
  expect(plan.exitCode, output(plan)).toBe(0);
}

test("a cluster with a firewall comes up, and the plan is empty", async () => {
  const up = await run("up", "--yes");
  expect(up.exitCode, output(up)).toBe(0);
  expect(readFileSync(file("controlplane.yaml"), "utf8")).toContain("kind: KubeAPIServerConfig");
  await isSettled();
});

test("a mistake in a patch is reported with its line", async () => {
  const patch = readFileSync(file("patches/watchdog.yaml"), "utf8");
  writeFileSync(file("patches/watchdog.yaml"), patch.replace("timeout", "timout"));
  const plan = await run("plan");
  writeFileSync(file("patches/watchdog.yaml"), patch);
  expect(plan.exitCode).toBe(1);
  expect(output(plan)).toContain("patches/watchdog.yaml:4");
  expect(output(plan)).toContain("did you mean timeout?");
});

test("a change that needs a reboot is stored, then the node is drained, rebooted and uncordoned", async () => {
  edit("patches:\n", "patches:\n  all:\n    - machine: { udev: { rules: ['KERNEL==\"x\"'] } }\n");
  const up = await run("up", "--yes");
  expect(up.exitCode, output(up)).toBe(0);
  expect(output(up)).toMatch(/apply the config of worker-1[\s\S]*cordon worker-1[\s\S]*reboot worker-1[\s\S]*uncordon worker-1/);
  await isSettled();
});

test("without secrets.yaml no secrets are created, and the error names how to restore them", async () => {
  const secrets = readFileSync(file("secrets.yaml"), "utf8");
  renameSync(file("secrets.yaml"), join(home, "backup"));
  const lost = await run("up", "--yes");
  expect(lost.exitCode).toBe(1);
  expect(output(lost)).toContain(`talosmith secrets ${folder} --from-config ${folder}/controlplane.yaml`);
  const kept = readFileSync(file("controlplane.yaml"), "utf8");
  rmSync(file("controlplane.yaml"));
  expect(output(await run("plan"))).toContain(`talosmith secrets ${folder} --from-node`);
  const restored = await run("secrets", "--from-node");
  expect(restored.exitCode, output(restored)).toBe(0);
  expect(readFileSync(file("secrets.yaml"), "utf8")).toBe(secrets);
  expect(statSync(file("secrets.yaml")).mode & 0o777).toBe(0o600);
  writeFileSync(file("controlplane.yaml"), kept);
  expect((await run("secrets", "--from-node")).exitCode).toBe(1);
  rmSync(file("secrets.yaml"));
  const taken = await run("secrets", "--from-config", file("controlplane.yaml"));
  expect(taken.exitCode, output(taken)).toBe(0);
  expect(readFileSync(file("secrets.yaml"), "utf8")).toBe(secrets);
  await isSettled();
});
