import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEASE_PORT } from "@talosmith/lab/kernel/address.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import type { PlanResult } from "../../src/engine/result.ts";
import { talosmith } from "../support/child.ts";
import { Root } from "../support/root.ts";

// One environment on one lab, from its creation to its removal, as a user works with it. The tests build on each other.

let folder: string;
let root: Root;

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "talosmith-e2e-")), "lab");
  const started = await talosmith(["lab", "start", folder, "--speed", "200", "--idle", "5", "--as", "192.0.2.10"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  root = await Root.login(file(".lab/url"), "proxmox-lab");
});

afterAll(async () => {
  await talosmith(["lab", "stop", folder]);
  rmSync(join(folder, ".."), { recursive: true });
});

const file = (name: string) => readFileSync(join(folder, name), "utf8").trim();
const events = (stdout: string): Event[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const up = (...flags: string[]) => talosmith(["up", folder, "--until", "provision", ...flags]);

async function plan(): Promise<{ exitCode: number | null; changes: string[]; notes: string[] }> {
  const { exitCode, stdout } = await talosmith(["plan", folder, "--until", "provision", "--json"]);
  const result = events(stdout).flatMap((event) => (event.type === "result" ? [event.result as PlanResult] : []))[0];
  // Files in the folder are covered elsewhere.
  const changes = result?.changes
    .filter((one) => one.stage !== "generate")
    .map(
      (one) => `${one.verb} ${one.subject}: ${one.fields.map((field) => `${field.path} ${field.from} → ${field.to}`).join(", ")}`,
    );
  return { exitCode, changes: changes ?? ["no plan"], notes: result?.notes.map((note) => note.message) ?? [] };
}

async function ours() {
  return (await root.vms()).filter(
    (vm) => ["cp-1", "worker-1", "worker-2"].includes(vm.config.name ?? "") && vm.config.template === undefined,
  );
}

async function machine(name: string) {
  const found = (await ours()).find((vm) => vm.config.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return { ...found, path: `/nodes/${found.node}/qemu/${found.vmid}` };
}

test("a plan for a new environment creates everything, and changes nothing", async () => {
  const shown = await talosmith(["plan", folder]);
  expect(shown.exitCode).toBe(2);
  expect(shown.stdout).toContain("+ machine cp-1");
  expect(shown.stdout).toContain(`talosmith up ${folder}`);
  expect(await ours()).toEqual([]);
  // Values that cannot be known yet, names from the code, and steps that come first anyway are not shown.
  expect(shown.stdout).not.toMatch(/known after|vmid|marks/);
  expect(shown.stdout).toMatch(
    /~ record of the bootstrap in VM notes \(after etcd of lab\)\n +cp-1 +\(not set\) → etcd was bootstrapped/,
  );
});

test("a plan until the stage image includes the secrets that images need", async () => {
  const shown = await talosmith(["plan", folder, "--until", "image"]);
  expect(shown, shown.stderr).toMatchObject({ exitCode: 2 });
  expect(shown.stdout).toMatch(/\+ image talos-/);
  expect(shown.stdout).toContain("secrets.yaml");
  expect(shown.stdout).not.toContain("machine cp-1");
});

test("up --until provision creates three running machines, spread over the hosts", async () => {
  const done = await up();
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0 });
  const machines = await ours();
  expect(machines.map((vm) => [vm.config.name, vm.running])).toHaveLength(3);
  expect(machines.every((vm) => vm.running)).toBe(true);
  expect(new Set(machines.map((vm) => vm.node)).size).toBe(3);
});

test("the next plan is empty, with exit code 0", async () => {
  expect(await plan()).toEqual({ exitCode: 0, changes: [], notes: [] });
});

test("the folder holds the secrets, 0600, and a run with events, plan and report", () => {
  expect(statSync(join(folder, "secrets.yaml")).mode & 0o777).toBe(0o600);
  const [run] = readdirSync(join(folder, ".talosmith/runs"));
  expect(readdirSync(join(folder, ".talosmith/runs", run ?? "")).sort()).toEqual(["events.jsonl", "plan.json", "report.md"]);
  expect(readdirSync(join(folder, ".talosmith")).filter((name) => !name.startsWith("lock.was-"))).toEqual([
    "config.schema.json",
    "place.json",
    "runs",
  ]);
});

test("status and runs report the machines and the run", async () => {
  const status = await talosmith(["status", folder]);
  expect(status.stdout).toMatch(/worker-2\s+worker\s+\S+\.22\s+running\s+.*VM \d+ on pve/);
  const runs = await talosmith(["runs", folder]);
  expect(runs.stdout).toMatch(/up\s+ok/);
});

test("a change made outside talosmith is the only field in the plan, and up repairs it", async () => {
  const worker = await machine("worker-1");
  await root.call("PUT", `${worker.path}/config`, { onboot: 0 });
  expect(await plan()).toMatchObject({ exitCode: 2, changes: ["update machine worker-1: start at boot false → true"] });
  expect(await up()).toMatchObject({ exitCode: 0 });
  expect((await plan()).exitCode).toBe(0);
  expect((await machine("worker-1")).config.onboot).toEqual(1);
});

test("a machine switched off outside talosmith is switched on", async () => {
  const worker = await machine("worker-2");
  await root.task("POST", `${worker.path}/status/stop`);
  expect(await plan()).toMatchObject({ exitCode: 2, changes: ["update machine worker-2: power off → on"] });
  expect(await up()).toMatchObject({ exitCode: 0 });
  expect((await machine("worker-2")).running).toBe(true);
});

test("a machine deleted outside talosmith is created again", async () => {
  const worker = await machine("worker-2");
  await root.task("POST", `${worker.path}/status/stop`);
  await root.task("DELETE", worker.path);
  expect((await plan()).changes).toEqual([expect.stringMatching(/^create machine worker-2: address/)]);
  expect(await up()).toMatchObject({ exitCode: 0 });
  expect(await plan()).toMatchObject({ exitCode: 0 });
});

test("a disk grown outside talosmith is reported and kept, because disks cannot shrink", async () => {
  const worker = await machine("worker-1");
  await root.task("PUT", `${worker.path}/resize`, { disk: "scsi0", size: "30G" });
  expect(await plan()).toEqual({
    exitCode: 0,
    changes: [],
    notes: ["worker-1: disk is 30 GiB, config says 20 GiB; kept (disks cannot shrink)"],
  });
  for (const { stdout } of [await talosmith(["plan", folder, "--until", "provision"]), await up()]) {
    expect(stdout).toContain("kept (disks cannot shrink)");
    expect(stdout).toContain("No changes. Everything else is as the config says: see the warning above.");
    expect(stdout).not.toContain("Everything is as the config says");
  }
  writeFileSync(join(folder, "config.yaml"), file("config.yaml").replace("disk: 20GiB", "disk: 30GiB"));
  expect((await plan()).changes).toEqual([
    "update machine cp-1: disk 20 GiB → 30 GiB",
    "update machine worker-2: disk 20 GiB → 30 GiB",
  ]);
  expect(await up()).toMatchObject({ exitCode: 0 });
  expect(await plan()).toEqual({ exitCode: 0, changes: [], notes: [] });
});

test("a memory change in the config is one field of class restart with exit code 2; after up the plan is empty", async () => {
  writeFileSync(join(folder, "config.yaml"), file("config.yaml").replace("memory: 4GiB", "memory: 6GiB"));
  const changed = ["cp-1", "worker-1", "worker-2"].map((name) => `restart machine ${name}: memory 4 GiB → 6 GiB`);
  expect(await plan()).toMatchObject({ exitCode: 2, changes: changed });
  const refused = await up();
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("--yes");
  expect(await up("--yes")).toMatchObject({ exitCode: 0 });
  expect(await plan()).toMatchObject({ exitCode: 0, changes: [] });
  expect((await ours()).map((vm) => vm.config.memory)).toEqual(["6144", "6144", "6144"]);
});

test("the removal of a node from the config is shown, and refused without --allow-remove, even with --yes", async () => {
  const config = file("config.yaml");
  writeFileSync(join(folder, "config.yaml"), config.replace(/(name: worker.*)count: 2/, "$1count: 1"));
  expect((await plan()).changes).toEqual([expect.stringMatching(/^delete machine worker-2/)]);
  const shown = await talosmith(["plan", folder, "--until", "provision"]);
  expect(shown.stdout.trimEnd().split("\n").at(-1)).toBe(
    `Run it with: ./talosmith up ${folder} --until provision --allow-remove worker-2`,
  );
  const refused = await up("--yes");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(
    `if that is what you want:  ./talosmith up ${folder} --until provision --yes --allow-remove worker-2\n`,
  );
  const mistyped = await up("--yes", "--allow-remove", "wroker-2");
  expect([mistyped.exitCode, mistyped.stderr]).toEqual([1, expect.stringContaining("did you mean worker-2?")]);
  expect(await ours()).toHaveLength(3);
  // --allow-remove does not cover a disk that another user attached.
  const { path } = await machine("worker-2");
  await root.task("POST", `${path}/config`, { scsi5: "local-lvm:1" });
  const allowed = ["--yes", "--allow-remove", "worker-2"];
  const kept = await up(...allowed);
  expect(kept.exitCode).toBe(1);
  expect(kept.stdout).toMatch(/deletes scsi5 +\S+ +1 GiB +not made by talosmith: needs --destroy-disk worker-2\/scsi5/);
  expect(kept.stderr).toContain("runbook: ./talosmith runbook FOREIGN_DISK");
  expect(await ours()).toHaveLength(3);
  expect(await up(...allowed, "--destroy-disk", "worker-2/scsi5")).toMatchObject({ exitCode: 0 });
  expect(await ours()).toHaveLength(2);
  writeFileSync(join(folder, "config.yaml"), config);
  expect(await up()).toMatchObject({ exitCode: 0 });
});

test("another address needs another machine: refused without --allow-remove for the node, then replaced", async () => {
  const config = file("config.yaml");
  writeFileSync(join(folder, "config.yaml"), config.replace(/(name: worker.*)ip: (\S+)\.21/, "$1ip: $2.31"));
  expect((await plan()).changes).toEqual([
    expect.stringMatching(/^replace machine worker-1: address \S+\.21 → \S+\.31/),
    expect.stringMatching(/^replace machine worker-2/),
  ]);
  expect((await up("--yes")).exitCode).toBe(1);
  const done = await up("--yes", "--allow-remove", "worker-1", "--allow-remove", "worker-2");
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0 });
  expect((await machine("worker-1")).config.ipconfig0).toContain(".31/24");
  expect((await plan()).exitCode).toBe(0);
});

test("a migrated machine is found on its new host, and not created again", async () => {
  const worker = await machine("worker-1");
  const target = ["pve1", "pve2", "pve3"].find((host) => host !== worker.node) ?? "";
  await root.task("POST", `${worker.path}/status/stop`);
  await root.task("POST", `${worker.path}/migrate`, { target, "with-local-disks": 1 });
  expect((await plan()).changes).toEqual(["update machine worker-1: power off → on"]);
  expect(await up()).toMatchObject({ exitCode: 0 });
  expect(await machine("worker-1")).toMatchObject({ node: target, vmid: worker.vmid, running: true });
});

test("up --json prints one JSON value per line, and piped output has no control characters", async () => {
  const json = await up("--json");
  expect(events(json.stdout).at(-1)?.type).toBe("run.finished");
  const piped = await up();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
  expect(piped.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  expect(piped.stdout).toContain("nothing to do");
});

test("a run continues when the reader of its output has gone", async () => {
  const worker = await machine("worker-1");
  await root.call("PUT", `${worker.path}/config`, { tags: "talosmith" });
  spawnSync("sh", ["-c", `"${process.execPath}" "${process.cwd()}/talosmith" up "${folder}" --until provision | true`], {
    timeout: 540_000,
  });
  expect((await plan()).exitCode).toBe(0);
});

test("down removes only the environment's machines: foreign VMs, a copy of a machine and a VM in the id range stay", async () => {
  const worker = await machine("worker-1");
  await root.task("POST", `/nodes/pve1/qemu`, { vmid: 100, name: "nas", scsi0: "local-lvm:1" });
  await root.task("POST", `/nodes/pve1/qemu`, { vmid: worker.vmid + 1, name: "neighbour", tags: "talosmith" });
  // Like cloning in the UI: same description, same tags, another id.
  await root.task("POST", `${worker.path}/clone`, { newid: 777, name: "worker-1-copy", full: 1 });
  expect((await plan()).notes).toEqual([expect.stringContaining("VM 777")]);
  const refused = await talosmith(["down", folder]);
  expect(refused.exitCode).toBe(1);
  const done = await talosmith(["down", folder, "--yes"]);
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0 });
  expect(done.stdout).toContain("Kept:");
  const left = (await root.vms()).map((vm) => [vm.vmid, vm.config.name]);
  expect(left).toEqual(
    [
      [100, "nas"],
      [777, "worker-1-copy"],
      [worker.vmid + 1, "neighbour"],
    ].sort((a, b) => Number(a[0]) - Number(b[0])),
  );
});

test("a second down has nothing to do", async () => {
  const again = await talosmith(["down", folder, "--yes"]);
  expect(again).toMatchObject({ exitCode: 0 });
  expect(again.stdout).toContain("none of its machines exists");
});

test("in a pipe the errors of failed steps come first, then one line for all steps that each of them blocks", async () => {
  const fault = (...words: string[]) => talosmith(["lab", "fault", folder, ...words]);
  await fault("refuse", "--service", "proxmox", "--call", "POST /nodes/*/qemu", "--status", "500", "--message", "no space left");
  const command = `"${process.execPath}" "${process.cwd()}/talosmith" up "${folder}" --yes 2>&1 | cat`;
  const { stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8", timeout: 540_000 });
  await fault("clear");
  const blocks = [...stdout.matchAll(/^· provision +machine (\S+): blocks (\d+) steps?$/gm)];
  expect(blocks.map(([, name]) => name).sort(), stdout).toEqual(["cp-1", "worker-1", "worker-2"]);
  expect(stdout.match(/answered 500: no space left/g)).toHaveLength(3);
  expect(stdout.lastIndexOf("answered 500: no space left")).toBeLessThan(blocks[0]?.index ?? 0);
  const count = blocks.reduce((sum, [, , steps]) => sum + Number(steps), 0);
  expect(stdout).toContain(`${count} not started because of it`);
  // The stages that were not reached have no other lines.
  expect(stdout).not.toMatch(/^\S (bootstrap|addons|verify) /m);
});

test("a lost secrets.yaml is detected before a second cluster is created beside the first", async () => {
  expect(await up()).toMatchObject({ exitCode: 0 });
  const secrets = readFileSync(join(folder, "secrets.yaml"));
  rmSync(join(folder, "secrets.yaml"));
  const refused = await up();
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("there is no secrets.yaml");
  // The machines run: they are not missing, and their addresses are not taken by strangers.
  const status = await talosmith(["status", folder]);
  expect(status.stdout).toMatch(/cp-1 .*running, without secrets\.yaml/);
  expect(status.stdout).toMatch(
    /✗ there is no secrets\.yaml in \S+, but machines of a cluster called lab exist: cp-1 \(VM \d+ on pve\d, running\), /,
  );
  expect(status.stdout).toContain(`./talosmith secrets ${folder} --from-config ${folder}/controlplane.yaml`);
  const doctor = await talosmith(["doctor", folder]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain("✗ there is no secrets.yaml in");
  expect(doctor.stdout).toContain("runbook: ./talosmith runbook SECRETS_MISSING");
  expect(doctor.stdout).not.toContain("choose another address");
  expect(await ours()).toHaveLength(3);
  writeFileSync(join(folder, "secrets.yaml"), secrets, { mode: 0o600 });
  expect((await plan()).exitCode).toBe(0);
});

/** Another environment, whose config names a server that exists only through the wire file of the lab. */
function siteBehindWire(): readonly string[] {
  const site = join(folder, "../site");
  mkdirSync(site, { recursive: true });
  const config = file("config.yaml").replace(/url: .*/, "url: https://192.0.2.10:8006");
  writeFileSync(join(site, "config.yaml"), config.replaceAll("file:.lab/", `file:${folder}/.lab/`));
  return [site, "--wire", join(folder, ".lab/wire.yaml")];
}

/** Stops the lab and holds its addresses, which a lab of another test file could take. */
async function stopHere(): Promise<net.Server> {
  const holder = net.createServer();
  expect(await talosmith(["lab", "stop", folder])).toMatchObject({ exitCode: 0 });
  await new Promise<void>((held) => holder.once("error", () => held()).listen(LEASE_PORT, `${file(".lab/block")}.1`, held));
  return holder;
}

let holder: net.Server | undefined;
afterAll(() => holder?.close());

test("a lab that has stopped is named in every error, with the command that starts it again", async () => {
  const wired = siteBehindWire();
  expect((await talosmith(["status", ...wired])).stdout).toMatch(/cp-1 .*running, without secrets\.yaml/);
  holder = await stopHere();
  const start = `start it again, with no machines in it:  ./talosmith lab start ${folder} --speed 200 --idle 5 --as 192.0.2.10\n`;
  const commands = ["plan", "up", "status", "doctor"].map((command) => [command, folder]);
  for (const command of [...commands, ["plan", ...wired]]) {
    const { exitCode, stdout, stderr } = await talosmith(command);
    expect([command, exitCode, stdout + stderr]).toEqual([
      command,
      1,
      expect.stringContaining(`The lab of ${folder} is not running`),
    ]);
    expect(stdout + stderr).toContain(start);
  }
  // One check fails; those that need it are counted.
  expect((await talosmith(["doctor", folder])).stdout).toMatch(/^! \d+ checks not made, because "Proxmox at \S+" failed$/m);
});

test("a lab that was started again at other addresses is named with both", async () => {
  const former = file(".lab/block");
  writeFileSync(join(folder, "config.yaml"), file("config.yaml").replace(`"\${file:.lab/url}"`, file(".lab/url")));
  await talosmith(["lab", "start", folder, "--speed", "200", "--idle", "5"]);
  const { exitCode, stderr } = await talosmith(["plan", folder]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`✗ The lab of ${folder} is not at ${former}.1 any more\n`)]);
  expect(stderr).toContain(`it runs at ${file(".lab/block")}.0/24 now, because its former addresses were in use`);
  expect(stderr).toContain("hint: change the addresses in its config.yaml, ");
});
