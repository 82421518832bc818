import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT, talosmith } from "../support/child.ts";

// The built program, watched from outside of it.

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-rehearse-"));
  folder = join(home, "site");
  mkdirSync(folder);
});
afterEach(() => rmSync(home, { recursive: true }));

/** A hash of everything in a folder: names, contents, modes, times, places on the disk. */
function hashOf(path: string): string {
  const hash = createHash("sha256");
  for (const name of ["", ...readdirSync(path, { recursive: true, encoding: "utf8" }).sort()]) {
    const { mode, mtimeMs, ctimeMs, ino } = statSync(join(path, name));
    hash.update(JSON.stringify([name, mode, mtimeMs, ctimeMs, ino]));
    if (statSync(join(path, name)).isFile()) hash.update(readFileSync(join(path, name)));
  }
  return hash.digest("hex");
}

const CONFIG = `platform: proxmox
cluster: { name: homelab, endpoint: 192.168.1.5, talos: v1.13.9 }
network: { cidr: 192.168.1.0/24, gateway: 192.168.1.1 }
proxmox:
  url: https://192.168.1.10:8006
  tls: { fingerprint: "${Array.from({ length: 32 }, () => "AB").join(":")}" }
  token: \${env:PROXMOX_TOKEN}
  hosts: [pve]
nodes:
  - { name: cp, role: controlplane, ip: 192.168.1.11 }
  - { name: worker, role: worker, ip: 192.168.1.21 }
`;

/** Loopback addresses that labs lease: 127.64.0.0/10. */
const OF_LABS = /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+(:\d+)?$/;

test("a config of another site is rehearsed without its token; no file changes, and no connection leaves the lab", async () => {
  writeFileSync(join(folder, "config.yaml"), CONFIG);

  writeFileSync(join(folder, "secrets.yaml"), "of the real cluster");
  const before = hashOf(folder);
  const log = join(home, "outside.jsonl");
  const { exitCode, stdout, stderr } = await talosmith(["rehearse", folder], {
    node: ["--import", join(ROOT, "test/support/outside.mjs")],
    env: { OUTSIDE_LOG: log, HOME: home },
    ownKeys: true,
  });
  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toContain("the rehearsal of homelab passed");
  expect(stdout).toMatch(/^up +passed +\d+ min.* homelab is up: 1 control plane, 1 worker, all Ready$/m);
  expect(stdout).toMatch(/^plan +passed +[\d.]+ s +0 changes$/m);
  expect(stdout).toMatch(/^critical path of up +time$/m);
  expect([hashOf(folder), existsSync(join(home, ".ssh"))]).toEqual([before, false]);
  const asked = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line): { what: string; to: string } => JSON.parse(line));
  expect(asked.filter(({ what }) => what === "connect").length).toBeGreaterThan(20);
  // Node looks up literal addresses that it listens on, too.
  expect(asked.filter(({ what, to }) => !["connect", "lookup"].includes(what) || !OF_LABS.test(to))).toEqual([]);
});

test("an interrupted rehearsal ends at once, with exit code 130 and without a report", async () => {
  writeFileSync(join(folder, "config.yaml"), CONFIG);
  const before = hashOf(folder);
  const { exitCode, stdout } = await talosmith(["rehearse", folder], { interruptAfter: /writing the image/ });
  expect([exitCode, stdout.includes("the rehearsal of")]).toEqual([130, false]);
  expect(hashOf(folder)).toBe(before);
});
