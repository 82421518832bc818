import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RehearsalWish } from "./rehearse.ts";
import { rehearsed as rehearseFolder } from "./testing/rehearsed.ts";

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-rehearsal-"));
  folder = join(home, "homelab");
});
afterEach(() => rmSync(home, { recursive: true }));

const CONFIG = `platform: proxmox
cluster: { name: homelab, endpoint: 192.168.7.5, talos: v1.13.9 }
network: { cidr: 192.168.6.0/23, gateway: 192.168.6.1 }
proxmox:
  url: https://192.168.6.10:8006
  tls: { fingerprint: "${Array.from({ length: 32 }, () => "AB").join(":")}" }
  token: \${env:PROXMOX_TOKEN}
  hosts: [alpha, beta]
  storage: { disks: ceph-vm, images: nas }
  bridge: vmbr7
  pool: talos
defaults: { all: { vlan: 12 } }
nodes:
  - { name: cp, role: controlplane, ip: 192.168.6.11 }
  - { name: gpu, role: worker, count: 1, ip: 192.168.7.11, pci: [{ mapping: rtx4090, gpu: nvidia }] }
`;

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Everything that can be seen of a folder from outside. */
function portrait(): unknown {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => {
    const { mode, mtimeMs, ino } = statSync(join(home, name));
    return { name, mode, mtimeMs, ino, text: statSync(join(home, name)).isFile() && readFileSync(join(home, name), "utf8") };
  });
}

const rehearsed = (env: Record<string, string> = {}, wish: Omit<RehearsalWish, "seed"> = {}) => rehearseFolder(folder, env, wish);

const verdicts = ({ phases }: Record<string, unknown>) =>
  (phases as { name: string; verdict: string }[])
    .filter(({ verdict }) => verdict !== "stopped")
    .map(({ name, verdict }) => `${name}: ${verdict}`);

test("a config of another site passes on a lab with its hosts, storages, bridges and devices, without its token, and no file changes", async () => {
  write({ "config.yaml": CONFIG });
  const before = portrait();
  const { exitCode, facts, errors } = await rehearsed();
  expect([errors, exitCode]).toEqual([[], 0]);
  expect(verdicts(facts)).toEqual(["up: passed", "verify: passed", "plan: passed", "down: passed"]);
  expect(facts.criticalPath).toContainEqual({ step: "machine cp", ms: expect.any(Number) });
  expect(facts.refusedConnections).toEqual([]);
  expect(portrait()).toEqual(before);
});

test("events and faults: a loss is survived as long as the API answers, a removal needs consent, and up converges despite failing calls", async () => {
  write({ "config.yaml": CONFIG });
  const before = portrait();
  const events: RehearsalWish["events"] = [
    { is: "lose-host", name: "beta" },
    { is: "scale", name: "gpu", count: 2 },
    { is: "scale", name: "worker", count: 1 },
    { is: "lose-node", name: "cp" },
  ];
  const { exitCode, facts } = await rehearsed({}, { events, faults: 12 });
  expect(verdicts(facts)).toEqual([
    ...["up: passed", "verify: passed", "plan: passed"],
    ...["beta is lost: passed", "verify after beta: passed", "plan after beta: passed"],
    ...["scale gpu to 2: passed", "verify after scaling gpu: passed", "plan after scaling gpu: passed"],
    ...["scale worker to 1: refused", "scale worker to 1, allowed: passed"],
    ...["verify after scaling worker: passed", "plan after scaling worker: passed"],
    ...["cp is lost: failed", "up after cp: passed", "verify after cp: passed", "plan after cp: passed", "down: passed"],
    ...[
      expect.stringMatching(/^up with 12 faults/),
      "verify after the faults: passed",
      "plan after the faults: passed",
      "down: passed",
    ],
  ]);
  expect(facts.phases).toContainEqual(expect.objectContaining({ remark: "the Kubernetes API does not answer without cp" }));
  expect(facts.phases).toContainEqual(expect.objectContaining({ remark: "needs --allow-remove gpu-2" }));
  expect((facts.faults as unknown[]).length).toBeGreaterThan(6);
  expect([exitCode, portrait()]).toEqual([1, before]);
});

test("an event with an unknown name is refused before anything starts", async () => {
  write({ "config.yaml": CONFIG });
  await expect(rehearsed({}, { events: [{ is: "lose-host", name: "gamma" }] })).rejects.toMatchObject({
    code: "REHEARSAL_EVENT",
    hint: "choose among alpha, beta",
  });
  await expect(rehearsed({}, { events: [{ is: "scale", name: "cp", count: 3 }] })).rejects.toMatchObject({
    code: "REHEARSAL_SCALE",
    hint: "entries with count: gpu",
  });
});

test("machines of their own have the cards and disks that the config describes", async () => {
  write({
    "config.yaml": `platform: metal
cluster: { name: rack, endpoint: 172.20.0.5, talos: v1.13.9 }
network: { cidr: 172.20.0.0/16, gateway: 172.20.0.1 }
defaults:
  all: { installDisk: { type: nvme, size: "== 1TB", serial: S5GX* } }
nodes:
  - { name: cp, role: controlplane, ip: 172.20.1.11, mac: "BC:24:11:00:00:11" }
  - name: storage
    role: worker
    ip: 172.20.2.11
    bond: { mode: 802.3ad, macs: ["BC:24:11:00:00:41", "BC:24:11:00:00:42"] }
    nics: [{ mac: "BC:24:11:00:00:43", ip: 10.20.0.41/24 }]
    volumes: [{ name: data, disk: /dev/sdb, minSize: 150GiB }]
`,
  });
  const { exitCode, errors } = await rehearsed();
  expect([errors, exitCode]).toEqual([[], 0]);
});

test("rented servers are taken over with stand-in keys, behind a firewall for other networks, through the provider's API", async () => {
  write({
    "config.yaml": `platform: vps
cluster: { name: rented, endpoint: k8s.example.org, talos: v1.13.9 }
network: { nameservers: [9.9.9.9] }
vps:
  ssh: { key: ~/.ssh/does-not-exist }
  provider: { name: hetzner, token: "\${env:HCLOUD_TOKEN}" }
firewall: { admin: [198.51.100.0/24] }
defaults: { all: { installDisk: { size: ">= 10GB" } } }
nodes:
  - { name: one, role: controlplane, ip: 203.0.113.11, prefix: 24, gateway: 203.0.113.1, ssh: { hostKey: "SHA256:qUTz0Zl4lWvJ0v5n8Q0pXo2l7l2oXxXHqf6b8a0XyUs" } }
  - { name: two, role: worker, ip: 203.0.113.12, prefix: 24, gateway: 203.0.113.1, ssh: { hostKey: first }, installDisk: /dev/sda }
`,
  });
  const { exitCode, errors } = await rehearsed({ HOME: home });
  expect([errors, exitCode]).toEqual([[], 0]);
});

test("an environment that is in use is rehearsed as a new one: its secrets and runs are neither used nor changed", async () => {
  write({
    "config.yaml": CONFIG,
    "secrets.yaml": "not even valid",
    kubeconfig: "old",
    "patch-cp.yaml": "old",
    "patch-worker-1.yaml": "old",
    ".talosmith/operation.json": "{}",
    ".talosmith/runs/2026-01-01T00-00-00/events.jsonl": "",
  });
  const before = portrait();
  const { exitCode, errors } = await rehearsed();
  expect([errors, exitCode]).toEqual([[], 0]);
  expect(portrait()).toEqual(before);
});

test("a config that would fail fails with the same message, and its folder is unchanged", async () => {
  write({ "config.yaml": CONFIG.replace("cidr: 192.168.6.0/23", "cidr: 192.168.6.0/24") });
  const before = portrait();
  await expect(rehearsed()).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(join(folder, "config.yaml")),
  });
  expect(portrait()).toEqual(before);
});
