import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { ROOT, talosmith } from "../support/child.ts";
import { asRoot } from "./runbooks/root-shell.ts";
import { isPrinted, readRunbook } from "./runbooks/runbook.ts";
import { talosctl } from "./runbooks/talosctl.ts";

// Something breaks; a command fails, and its output names a runbook; the commands of the runbook are run literally; the command succeeds again.
// One after the other in one lab, from the first plan to a running cluster.

const FOLDER = "environments/homelab";
const HASTY = ["--import", join(ROOT, "test/e2e/runbooks/hasty.mjs")];

let home: string;
let block: string;
/** Output of the last command. */
let seen = "";

const inHome = (...path: string[]) => join(home, ...path);
const labFile = (name: string) => readFileSync(inHome(FOLDER, ".lab", name), "utf8").trim();
const config = () => readFileSync(inHome(FOLDER, "config.yaml"), "utf8");
const configure = (text: string) => writeFileSync(inHome(FOLDER, "config.yaml"), text);

async function run(command: string, exit: number, node: readonly string[] = []): Promise<string> {
  const ended = await talosmith(command.split(/\s+/).slice(1), { cwd: home, node });
  // Suggested commands begin with the path of the program under test; in the runbooks it is in PATH.
  seen = (ended.stdout + ended.stderr).replace(/(?<=\s)\S*\/talosmith (?=[a-z])/g, "talosmith ");
  expect(ended.exitCode, `${command}\n${seen}`).toBe(exit);
  return seen;
}

const strike = (...words: string[]) => run(`talosmith lab fault ${FOLDER} ${words.join(" ")}`, 0);

/** Two nodes on two of three hosts, with the minimal config. */
const CONFIG = () => `platform: proxmox
cluster: { name: homelab, endpoint: ${block}.5, talos: v1.13.9 }
network: { cidr: ${block}.0/24, gateway: ${block}.250 }
image: { factory: "${labFile("factory")}" }
proxmox:
  url: "${labFile("url")}"
  tls: { fingerprint: "${labFile("fingerprint")}" }
  token: "\${file:.lab/token}"
  hosts: [pve1, pve2, pve3]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 4, memory: 4GiB, disk: 20GiB }
nodes:
  - { name: cp-1, role: controlplane, ip: ${block}.11, host: pve1 }
  - { name: worker-1, role: worker, ip: ${block}.21, host: pve2 }
`;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-runbooks-"));
  symlinkSync(join(ROOT, "talosmith"), inHome("talosmith"));
  await run(`talosmith lab start ${FOLDER} --speed 100 --idle 10`, 0);
  block = labFile("block");
  configure(CONFIG());
}, 120_000);

afterAll(async () => {
  await talosmith(["lab", "stop", FOLDER], { cwd: home });
  rmSync(home, { recursive: true });
});

const ADDRESS: Readonly<Record<string, number>> = { pve1: 1, pve2: 201, pve3: 202 };

/** Names in a runbook and their values here; the longest are replaced first. */
type Names = Record<string, string>;

function filled(text: string, names: Names): string {
  const all: Names = { "10.10.0.": `${block}.`, "192.168.122.70": `${block}.1`, "/home/me/talosmith": home, ...names };
  return Object.keys(all)
    .sort((one, other) => other.length - one.length)
    .reduce((done, name) => done.replaceAll(name, all[name] ?? ""), text);
}

test("the command that an error ends with prints the page", async () => {
  const page = readFileSync(join(ROOT, "docs/runbooks/LOCKED.md"), "utf8");
  expect(await run("talosmith runbook LOCK_LOST", 0)).toBe(page.replaceAll("./talosmith ", "talosmith "));
  expect(await run("talosmith runbook LOCKD", 1)).toContain("did you mean LOCKED?");
});

/** Checks that the output is the message of the runbook for this code, and refers to it. */
function leadsTo(code: string, names: Names = {}): void {
  const { message } = readRunbook(code);
  expect(message.at(-1)?.trim()).toBe(`runbook: talosmith runbook ${code}`);
  expect(
    message.map((line) => filled(line, names)).filter((line) => !isPrinted(line, seen)),
    seen,
  ).toEqual([]);
}

/** Runs everything under "Fix". The output of one command may be needed by the next. */
async function repair(code: string, names: Names = {}, learn: (output: string) => Names = () => ({})): Promise<void> {
  const { remedies } = readRunbook(code);
  expect(remedies.length, code).toBeGreaterThan(0);
  const known = { ...names };
  for (const remedy of remedies) {
    if (remedy.kind === "config") {
      configure(stringify(merged(parse(config()), parse(filled(remedy.yaml, known)))));
      continue;
    }
    Object.assign(known, learn(await type(filled(remedy.text, known), remedy.root)));
  }
}

async function type(command: string, root: string): Promise<string> {
  if (command.startsWith("./talosmith ")) return run(command, 0);
  // A remote power button.
  if (command.startsWith("pvenode wakeonlan ")) return strike("power-on", command.split(" ").at(-1) ?? "");
  const ended = command.startsWith("talosctl ")
    ? await talosctl(home, command)
    : await asRoot(`${block}.${ADDRESS[root]}`, `${labFile("ssh-key")}\n`, command);
  expect(ended.exitCode, `${command}\n${ended.output}`).toBe(0);
  return ended.output;
}

/** Merges keys shown in a runbook into the config, and keeps the others. */
function merged(into: unknown, from: unknown): unknown {
  if (!isMap(into) || !isMap(from)) return from;
  return { ...into, ...Object.fromEntries(Object.entries(from).map(([key, value]) => [key, merged(into[key], value)])) };
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The VM id in the output of `status`. */
const vmidOf = (node: string) => new RegExp(`^ *${node} .* (\\d{3,9}) `, "m").exec(seen)?.[1] ?? "";

let isOver = false;

/** Runs chapters one after the other, and stops after a failure, which would make the next ones fail as well. */
function chapter(title: string, work: () => Promise<void>): void {
  test(title, async ({ skip }) => {
    skip(isOver, "the one before failed");
    isOver = true;
    await work();
    isOver = false;
  });
}

chapter("STORAGE_CONTENT: the storage does not accept images for import", async () => {
  await strike("storage-content", "local", "import");
  await run(`talosmith plan ${FOLDER}`, 1);
  leadsTo("STORAGE_CONTENT");
  await repair("STORAGE_CONTENT");
  await run(`talosmith plan ${FOLDER}`, 2);
});

chapter("STORAGE_FULL: an unused disk takes all space", async () => {
  await strike("storage-full", "pve2", "local-lvm");
  await run(`talosmith plan ${FOLDER}`, 1);
  leadsTo("STORAGE_FULL");
  await repair("STORAGE_FULL");
  await run(`talosmith plan ${FOLDER}`, 2);
});

chapter("PROXMOX_PERMISSION: a privilege is gone", async () => {
  const names = { "talosmith@pve!deploy": "talosmith@pve!lab" };
  await strike("right-removed", "VM.Config.CPU");
  await run(`talosmith plan ${FOLDER}`, 1);
  leadsTo("PROXMOX_PERMISSION", names);
  await repair("PROXMOX_PERMISSION", names);
});

chapter("HOST_OFFLINE: a host loses power in the middle of `up`", async () => {
  await strike("power-loss-during", "pve2", "qmcreate");
  await run(`talosmith up ${FOLDER}`, 1);
  leadsTo("HOST_OFFLINE");
  await repair("HOST_OFFLINE");
  await run(`talosmith up ${FOLDER}`, 0);
});

chapter("STUCK_VM: and what it was making is left half-made", async () => {
  const [, vmid = ""] = /VM (\d+) on pve2 is incomplete/.exec(seen) ?? [];
  leadsTo("STUCK_VM", { "68736": vmid });
  await repair("STUCK_VM", { "68736": vmid });
  await expect(type(`qm status ${vmid}`, "pve2")).rejects.toThrow("does not exist");
  await run(`talosmith plan ${FOLDER}`, 0);
});

chapter("VM_LOCKED: a backup has died, and its lock is left", async () => {
  await strike("vm-locked", "worker-1", "backup");
  configure(config().replace("host: pve2", "host: pve2, tags: [mended]"));
  await run(`talosmith up ${FOLDER}`, 1);
  const [, vmid = ""] = /worker-1: VM (\d+) on pve2/.exec(seen) ?? [];
  leadsTo("VM_LOCKED", { "89762": vmid });
  await repair("VM_LOCKED", { "89762": vmid });
  expect(seen).toContain("worker-1: changed tags");
});

chapter("NODE_SILENT: a node hangs", async () => {
  await strike("node-hang", "worker-1");
  await run(`talosmith doctor ${FOLDER}`, 1);
  leadsTo("NODE_SILENT");
  let vmid = "";
  await repair("NODE_SILENT", {}, () => {
    vmid ||= vmidOf("worker-1");
    return { "89762": vmid };
  });
  await expect.poll(async () => (await talosmith(["doctor", FOLDER], { cwd: home })).exitCode).toBe(0);
});

chapter("ETCD_ALARM: etcd has no space left", async () => {
  await strike("etcd-alarm", "cp-1", "NOSPACE");
  await run(`talosmith verify ${FOLDER}`, 1, HASTY);
  leadsTo("ETCD_ALARM");
  await repair("ETCD_ALARM");
  expect(seen).toContain("etcd raises no alarm");
});

chapter("HELM_CUT_OFF: Helm is killed in the middle of an upgrade", async () => {
  const chart = { name: "podinfo", chart: "podinfo", repository: labFile("charts"), version: "6.9.2", namespace: "web" };
  configure(`${config()}addons: ${JSON.stringify({ charts: [chart] })}\n`);
  await run(`talosmith up ${FOLDER}`, 0);
  await strike("helm-cut-off", "podinfo");
  await run(`talosmith plan ${FOLDER}`, 2);
  leadsTo("HELM_CUT_OFF");
  await repair("HELM_CUT_OFF");
  await run(`talosmith plan ${FOLDER}`, 0);
});

chapter("SECRETS_MISSING: secrets.yaml is lost", async () => {
  const before = readFileSync(inHome(FOLDER, "secrets.yaml"), "utf8");
  rmSync(inHome(FOLDER, "secrets.yaml"));
  await run(`talosmith plan ${FOLDER}`, 1);
  const [, first = "", second = ""] = /cp-1 \(VM (\d+) .*, worker-1 \(VM (\d+) /.exec(seen) ?? [];
  leadsTo("SECRETS_MISSING", { "51696": first, "89762": second });
  await repair("SECRETS_MISSING");
  expect(parse(readFileSync(inHome(FOLDER, "secrets.yaml"), "utf8"))).toEqual(parse(before));
});

chapter("LOCKED: a command died on another computer that shares the folder", async () => {
  const where = { bootId: "2", pidNamespace: "pid:[4026531836]", machineId: "3", host: "laptop" };
  const holder = { pid: 4711, startedAt: "1", ...where, command: "up", since: "2026-11-15T20:14:03.000Z" };
  const record = inHome(FOLDER, ".talosmith/lock/0011223344556677.json");
  mkdirSync(inHome(FOLDER, ".talosmith/lock"));
  writeFileSync(record, JSON.stringify({ ...holder, nonce: "0011223344556677" }));
  const silent = Date.now() / 1000 - 2.5 * 3600;
  utimesSync(record, silent, silent);
  await run(`talosmith up ${FOLDER}`, 1);
  leadsTo("LOCKED");
  await repair("LOCKED");
  await run(`talosmith plan ${FOLDER}`, 0);
});

chapter("TLS_FINGERPRINT: Proxmox has another certificate", async () => {
  await strike("certificate-changed", "pve1");
  await run(`talosmith plan ${FOLDER}`, 1);
  leadsTo("TLS_FINGERPRINT", { "00:C2:9A:C3:77:AC:24:5B:…": labFile("fingerprint"), "9A:C2:9A:C3:77:AC:24:5B:…": "…" });
  await repair("TLS_FINGERPRINT", {}, (output) => ({
    "9A:C2:9A:C3:77:AC:24:5B:…": /"fingerprint": "([0-9A-F:]{95})"/.exec(output)?.[1] ?? "",
  }));
  await run(`talosmith plan ${FOLDER}`, 0);
});

chapter("FOREIGN_DISK: a machine to be removed has a disk that another user attached", async () => {
  await run(`talosmith status ${FOLDER}`, 0);
  const names = { "20417": vmidOf("worker-1") };
  await type(filled("qm set 20417 --scsi5 local-lvm:10", names), "pve2");
  await run(`talosmith down ${FOLDER} --yes`, 1);
  leadsTo("FOREIGN_DISK", names);
  await repair("FOREIGN_DISK", names);
  await run(`talosmith down ${FOLDER} --yes`, 0);
  const [, other = ""] = /(\d+) disks-of-worker-1/.exec(await type("qm list", "pve2")) ?? [];
  expect(await type(`qm config ${other}`, "pve2")).toContain(`scsi5: local-lvm:vm-${other}-disk-0,size=10G`);
});
