import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { Event } from "../../src/engine/event.ts";
import type { PlanResult } from "../../src/engine/result.ts";
import { MachineConfig } from "../../src/talos/config/machine-config.ts";
import { type Ended, ROOT, talosmith } from "../support/child.ts";
import { type Insider, insider, setHelmValue } from "../support/cluster.ts";
import { Root } from "../support/root.ts";
import { leaksOf, linesOfKey, pemsAmong, valuesOf } from "../support/secret-search.ts";

// The whole path on one lab, as a new user takes it. The tests build on each other.

/** The schematic without extensions (docs/facts/talos.md#schematics). */
const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
/** Until a process has begun. */
const POLL = { timeout: 60_000, interval: 100 };
const { signal } = new AbortController();
let folder: string;
let demo: Ended;
let person: Insider;

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "talosmith-demo-")), "demo");
  demo = await talosmith(["demo", folder, "--speed", "100"]);
  person = insider(folder, address(11));
});
afterAll(async () => {
  person.close();
  await talosmith(["lab", "stop", folder]);
  rmSync(join(folder, ".."), { recursive: true });
});

const file = (name: string) => readFileSync(join(folder, name), "utf8").trim();
const address = (last: number) => `${file(".lab/block")}.${last}`;
const up = () => talosmith(["up", folder, "--yes"]);

async function plan(): Promise<{ exitCode: number | null; changes: string[] }> {
  const { exitCode, stdout, stderr } = await talosmith(["plan", folder, "--json"]);
  const events: Event[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const result = events.flatMap((event) => (event.type === "result" ? [event.result as PlanResult] : []))[0];
  const changes = result?.changes.map(
    (one) => `${one.verb} ${one.subject}: ${one.fields.map((field) => `${field.path} ${field.from} → ${field.to}`).join(", ")}`,
  );
  return { exitCode, changes: changes ?? [`no plan: ${stderr}`] };
}

test("demo ends with one verified control plane and two workers, and prints the next command", () => {
  expect(demo.exitCode, demo.stdout + demo.stderr).toBe(0);
  expect(demo.stdout).toContain("demo is up: 1 control plane, 2 workers, all Ready");
  for (const node of ["cp-1", "worker-1", "worker-2"])
    expect(demo.stdout).toMatch(new RegExp(`${node} .*v1\\.13\\.9 .*Ready v1\\.36\\.3`));
  expect(demo.stdout).toContain(`kubectl --kubeconfig ${folder}/kubeconfig get nodes`);
});

test("the recording in the README shows what demo prints", async () => {
  const { lastPicture } = await import(join(ROOT, "release/recording.js"));
  const shape = (text: string) =>
    text
      .replaceAll(folder, "environments/demo")
      .replace(/\S*talosmith (?=[a-z])|\bnpx (?=talosmith)/g, "")
      .replace(/\d+(\.\d+)?( min \d+)?/g, "0")
      .replace(/\s+/g, "");
  const printed = shape(demo.stdout);
  const [, ...picture]: string[] = lastPicture(readFileSync(join(ROOT, "docs/demo.svg"), "utf8"));
  expect(picture.length).toBeGreaterThan(30);
  // A pipe has no width.
  const missing = picture.filter((row) => !row.startsWith("not shown at this width") && !printed.includes(shape(row)));
  expect(missing, "out of date? Make it anew: node release/recording.js").toEqual([]);
});

test("the folder holds every file of an environment, and only the owner can read secret ones", () => {
  const files = readdirSync(folder);
  for (const name of [
    "config.yaml",
    "secrets.yaml",
    "talosconfig",
    "kubeconfig",
    "controlplane.yaml",
    "worker.yaml",
    "outputs.json",
  ])
    expect(files).toContain(name);
  for (const node of ["cp-1", "worker-1", "worker-2"]) expect(files).toContain(`patch-${node}.yaml`);
  const secret = files.filter((name) => name !== "config.yaml" && statSync(join(folder, name)).isFile());
  for (const name of secret) expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test("demo prints no secret", () => {
  const values = [...valuesOf(parse(file("secrets.yaml"))), file(".lab/token").split("=")[1] ?? ""];
  const secrets = [...values, ...pemsAmong(values).flatMap(linesOfKey)].map((value) => ["a secret", value] as const);
  expect(secrets.length).toBeGreaterThan(50);
  expect(leaksOf(secrets, [["the output", demo.stdout + demo.stderr]])).toEqual([]);
});

test("the plan right after demo is empty", async () => {
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("a lost folder is restored from its backup: status knows the cluster, and the plan is empty", async () => {
  const [kept, key] = ["kept.tar.gz.age", "key.txt"].map((name) => join(folder, "..", name)) as [string, string];
  const made = await talosmith(["backup", folder, "--new-key", key, "--to", kept]);
  expect([made.exitCode, made.stdout], made.stderr).toEqual([0, expect.stringContaining("without   etcd data")]);
  for (const name of readdirSync(folder)) if (name !== ".lab") rmSync(join(folder, name), { recursive: true });
  const restored = await talosmith(["restore", kept, folder, "--identity", key, "--yes"]);
  expect(restored.exitCode, restored.stdout + restored.stderr).toBe(0);
  expect((await talosmith(["status", folder])).stdout).toMatch(/^cp-1 .*as configured .*Ready/m);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("verify and doctor report no problem, and outputs match the cluster", async () => {
  for (const command of ["verify", "doctor"]) {
    const ended = await talosmith([command, folder]);
    expect([ended.exitCode, ended.stdout + ended.stderr]).toEqual([0, expect.stringContaining("no problems")]);
  }
  const { stdout } = await talosmith(["outputs", folder, "--json"]);
  const { facts } = JSON.parse(stdout).result;
  const outputs = Object.fromEntries(facts.map(({ key, value }: { key: string; value: unknown }) => [key, value]));
  expect(outputs).toEqual(JSON.parse(file("outputs.json")));
  const installer = `${address(2)}:8080/nocloud-installer/${PLAIN}:v1.13.9`;
  expect(outputs).toEqual({
    talos_control_plane_endpoints: [address(11)],
    talos_node_ips: { "cp-1": address(11), "worker-1": address(21), "worker-2": address(22) },
    talos_node_roles: { "cp-1": "controlplane", "worker-1": "worker", "worker-2": "worker" },
    talos_vm_ids: { "cp-1": expect.any(Number), "worker-1": expect.any(Number), "worker-2": expect.any(Number) },
    talos_cluster_endpoint: `https://${address(5)}:6443`,
    talosconfig_path: join(folder, "talosconfig"),
    kubeconfig_path: join(folder, "kubeconfig"),
    talos_schematics: { "cp-1": PLAIN, "worker-1": PLAIN, "worker-2": PLAIN },
    talos_installer_images: { "cp-1": installer, "worker-1": installer, "worker-2": installer },
    age_recipient: "",
  });
});

test("status fits terminals of 60, 80 and 120 columns", async () => {
  const screen = async (columns: number) => {
    const { stdout, exitCode } = await talosmith(["status", folder], { columns });
    const lines = stdout.split("\n").map((row) => row.replace(/127\.80\.\d+\./, "127.80.1.").replace(/VM \d+/, "VM 100"));
    return [exitCode, ...lines.slice(0, 2), ...lines.filter((row) => row.startsWith("not shown"))];
  };
  expect(await screen(120)).toEqual([
    0,
    "node       role           address       machine   Talos     config          Kubernetes      where",
    "cp-1       controlplane   127.80.1.11   running   v1.13.9   as configured   Ready v1.36.3   VM 100 on pve1",
  ]);
  expect(await screen(80)).toEqual([
    0,
    "node       address       machine   Talos     config          Kubernetes",
    "cp-1       127.80.1.11   running   v1.13.9   as configured   Ready v1.36.3",
    "not shown at this width: role, where",
  ]);
  expect(await screen(60)).toEqual([
    0,
    "node       machine   Talos     config          Kubernetes",
    "cp-1       running   v1.13.9   as configured   Ready v1.36.3",
    "not shown at this width: role, address, where",
  ]);
});

test("status --watch redraws in place, appends in a pipe, and Ctrl-C ends it with exit code 0", async () => {
  const watch = ["status", folder, "--watch", "--interval", "1s"];
  const terminal = await talosmith(watch, { columns: 80, interruptAfter: /UTC[\s\S]*\[\d+A[\s\S]*UTC/ });
  expect([terminal.exitCode, terminal.stderr]).toEqual([0, ""]);
  expect(terminal.stdout).toContain(" UTC · every 1 s · Ctrl-C ends");
  const json = await talosmith([...watch, "--json"], { interruptAfter: /\n.*\n/ });
  expect([json.exitCode, json.stderr]).toEqual([0, ""]);
  const names = json.stdout
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row).result.rows.map(({ name }: { name: string }) => name));
  expect(names[1]).toEqual(["cp-1", "worker-1", "worker-2"]);
});

test("runs show shows the run that made the cluster", async () => {
  const { stdout, exitCode } = await talosmith(["runs", "show", folder]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^demo · up · run \S+\n✓ ok: demo is up/);
  expect(stdout).toMatch(/^ {2}✓ provision {3}3 machines +\d/m);
  const { result } = JSON.parse((await talosmith(["runs", "show", folder, "last", "--json"])).stdout);
  expect(result).toMatchObject({ kind: "run", command: "up", outcome: "ok", errors: [] });
  const unknown = await talosmith(["runs", "show", folder, "lats"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("did you mean last?")]);
});

test("verify reports a node that is down without waiting for minutes", async () => {
  await talosmith(["lab", "fault", folder, "down", "--service", "talos", "--host", "22"]);
  const verified = await talosmith(["verify", folder, "--json"]);
  await talosmith(["lab", "fault", folder, "clear"]);
  const { result } = JSON.parse(verified.stdout.trim().split("\n").at(-1) ?? "");
  expect([verified.exitCode, JSON.stringify(result)]).toEqual([1, expect.stringContaining("worker-2: nothing listens there")]);
  // A limit against waiting, far above what a busy machine needs.
  expect(result.ms).toBeLessThan(120_000);
});

test("a VM field changed outside talosmith is the only change in the plan, and up repairs it", async () => {
  const root = await Root.login(file(".lab/url"), "proxmox-lab");
  const vm = (await root.vms()).find((one) => one.config.name === "worker-1");
  await root.call("POST", `/nodes/${vm?.node}/qemu/${vm?.vmid}/config`, { onboot: 0 });
  expect(await plan()).toEqual({ exitCode: 2, changes: ["update machine worker-1: start at boot false → true"] });
  expect((await up()).exitCode).toBe(0);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("status reports why it cannot read the nodes from Kubernetes", async () => {
  const broken = ["refuse", "--service", "kubernetes", "--call", "GET /readyz", "--status", "500", "--message", "etcd is slow"];
  expect((await talosmith(["lab", "fault", folder, ...broken])).exitCode).toBe(0);
  const status = await talosmith(["status", folder]);
  expect((await talosmith(["lab", "fault", folder, "clear"])).exitCode).toBe(0);
  expect(status.exitCode, status.stderr).toBe(0);
  expect(status.stdout).toMatch(/^cp-1 .*as configured(?!.*Ready)/m);
  expect(status.stdout).toMatch(/^✗ Kubernetes does not answer: .*not ready: etcd is slow/m);
});

test("a node's config changed outside talosmith is the only change in the plan, and up repairs it", async () => {
  const node = person.talos.node(address(22));
  const { running } = await node.machineConfigs(signal);
  const changed = running.text.replace(/^machine:$/m, 'machine:\n    sysctls:\n        vm.max_map_count: "262144"');
  expect(changed).not.toBe(running.text);
  await node.apply(MachineConfig.read(changed), "auto", signal);
  expect(await plan()).toEqual({
    exitCode: 2,
    changes: ["update node worker-2: machine.sysctls.vm.max_map_count 262144 → null"],
  });
  const status = await talosmith(["status", folder]);
  expect(status.stdout).toContain('worker-2: machine.sysctls.vm.max_map_count: is "262144", should be null');
  expect((await up()).exitCode).toBe(0);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("a Helm value changed outside talosmith is the only change in the plan, and up repairs it", async () => {
  await setHelmValue(person.kubernetes, "cilium", (values) => ({ ...values, kubeProxyReplacement: false }));
  expect(await plan()).toEqual({ exitCode: 2, changes: ["update cilium: values.kubeProxyReplacement false → true"] });
  const repaired = await up();
  expect(repaired.exitCode, repaired.stdout + repaired.stderr).toBe(0);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("another Talos version in the config needs an upgrade: plan exits 2, up and verify exit 1, status shows both versions", async () => {
  const config = file("config.yaml");
  writeFileSync(join(folder, "config.yaml"), config.replace("talos: v1.13.9", "talos: v1.14.1\n  kubernetes: v1.36.3"));
  const line = "the cluster runs Talos v1.13.9, the config says Talos v1.14.1";
  const shown = await talosmith(["plan", folder]);
  expect([shown.exitCode, shown.stdout.split(line).length]).toEqual([2, 2]);
  expect(shown.stdout).toContain("No changes. The config asks for an upgrade.");
  const applied = await up();
  expect(applied.exitCode, applied.stdout + applied.stderr).toBe(1);
  expect(applied.stdout).toContain("demo is up: 1 control plane, 2 workers, all Ready");
  expect(applied.stdout).toContain("Talos v1.13.9 (config: v1.14.1)");
  expect((await talosmith(["status", folder])).stdout).toMatch(
    /cp-1 .*v1\.13\.9 \(config: v1\.14\.1\) .*as configured .*Ready v1\.36\.3 /,
  );
  const verified = await talosmith(["verify", folder]);
  expect([verified.exitCode, verified.stdout.split(line).length]).toEqual([1, 2]);
  writeFileSync(join(folder, "config.yaml"), config);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("a single stage without changes does nothing", async () => {
  const only = await talosmith(["up", folder, "--only", "addons"]);
  expect(only.exitCode, only.stdout + only.stderr).toBe(0);
});

test("reset recreates the cluster with the same secrets, and is refused when it could not come up again", async () => {
  const [secrets, config] = [file("secrets.yaml"), file("config.yaml")];
  const root = await Root.login(file(".lab/url"), "proxmox-lab");
  const ids = async () => (await root.vms()).map((vm) => vm.config.smbios1).sort();
  const before = await ids();
  writeFileSync(join(folder, "config.yaml"), config.replace(/bridge: \w+/, "bridge: vmbr9"));
  const refused = await talosmith(["reset", folder, "--yes"]);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("it could not be created again")]);
  expect(refused.stdout).toContain("no bridge vmbr9");
  expect(await ids()).toEqual(before);
  writeFileSync(join(folder, "config.yaml"), `${config}\n`);
  const done = await talosmith(["reset", folder, "--yes"]);
  expect(done.exitCode, done.stdout + done.stderr).toBe(0);
  expect(file("secrets.yaml")).toBe(secrets);
  expect((await ids()).filter((id) => before.includes(id))).toEqual([]);
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});

test("after down no stage can start without its machines", async () => {
  expect((await talosmith(["down", folder, "--yes"])).exitCode).toBe(0);
  const early = await talosmith(["up", folder, "--only", "addons"]);
  expect([early.exitCode, early.stderr]).toEqual([1, expect.stringContaining("provision: to be created: machine cp-1")]);
});

test("demo ends when its lab ends, instead of waiting for its machines", async () => {
  const short = join(folder, "../short");
  const running = talosmith(["demo", short, "--speed", "1"]);
  await expect.poll(() => readdirSync(join(folder, "..")).includes("short") && readdirSync(short), POLL).toContain(".talosmith");
  expect(await talosmith(["lab", "stop", short])).toMatchObject({ exitCode: 0 });
  const { exitCode, stderr } = await running;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`The lab of ${short} is not running`)]);
  expect(stderr).toContain(`./talosmith lab start ${short} --speed 1`);
});
