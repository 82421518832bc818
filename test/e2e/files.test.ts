import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { talosmith } from "../support/child.ts";

// Folders on real disks and real processes. Nothing is contacted: the stages that create files are enough.

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-folders-"));
});
afterAll(() => rmSync(home, { recursive: true }));

const at = (...names: string[]) => join(home, ...names);
const text = (...names: string[]) => readFileSync(at(...names), "utf8");
const init = (folder: string, name: string) =>
  talosmith(["init", "metal", at(folder), "--yes", "--name", name, "--cidr", "127.9.8.0/24", "--endpoint", "127.9.8.11"]);
const up = (folder: string) => talosmith(["up", at(folder), "--until", "generate", "--yes"]);

test("of two simultaneous inits of one folder one succeeds, the other is refused, and the config is complete", async () => {
  const both = await Promise.all(["one", "two"].map(async (name) => ({ name, ...(await init("homelab", name)) })));
  const won = both.filter(({ exitCode }) => exitCode === 0);
  expect(
    won.map(({ name }) => name),
    both.map(({ stderr }) => stderr).join(),
  ).toHaveLength(1);
  const lost = both.find(({ exitCode }) => exitCode !== 0);
  expect(lost?.stderr).toMatch(/it exists already|has a config already|Another command is working/);
  expect(text("homelab", "config.yaml")).toMatch(new RegExp(`name: ${won[0]?.name}\\b`));
  expect(readdirSync(at("homelab")).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test("of two simultaneous ups each succeeds or names the lock's holder, and secrets are created once", async () => {
  const both = await Promise.all([up("homelab"), up("homelab")]);
  expect(both.map(({ exitCode }) => exitCode)).toContain(0);
  for (const { exitCode, stdout, stderr } of both)
    if (exitCode !== 0) expect(stderr, stdout).toContain("Another command is working");
  const made = readdirSync(at("homelab", ".talosmith", "runs")).flatMap((run) =>
    text("homelab", ".talosmith", "runs", run, "events.jsonl").match(/"mutation.outcome".*"write secrets.yaml"/g),
  );
  expect(made.filter((one) => one !== null)).toHaveLength(1);
  expect(readdirSync(at("homelab", ".talosmith")).filter((name) => !name.startsWith("lock.was-"))).toEqual([
    "config.schema.json",
    "place.json",
    "runs",
  ]);
});

test("the minimal config contains only what is needed, and works", async () => {
  const more = ["--minimal", "--workers", "1", "--install-disk", "/dev/nvme0n1"];
  const made = await talosmith([
    "init",
    "metal",
    at("small"),
    "--yes",
    "--cidr",
    "127.9.7.0/24",
    "--endpoint",
    "127.9.7.11",
    ...more,
  ]);
  expect(made, made.stderr).toMatchObject({ exitCode: 0 });
  expect(text("small", "config.yaml")).toBe(`# yaml-language-server: $schema=.talosmith/config.schema.json
platform: metal
cluster:
  name: small
  endpoint: 127.9.7.11
  talos: v1.13.9
network:
  cidr: 127.9.7.0/24
  gateway: 127.9.7.1
defaults:
  all:
    installDisk: /dev/nvme0n1
nodes:
  - name: cp-1
    role: controlplane
    ip: 127.9.7.11
  - name: worker
    role: worker
    count: 1
    ip: 127.9.7.21
`);
  expect(await up("small")).toMatchObject({ exitCode: 0 });
});

test("a copied folder with another name is refused with a list of files to remove; removing them allows a new cluster", async () => {
  cpSync(at("homelab"), at("other"), { recursive: true });
  writeFileSync(at("other", "config.yaml"), text("other", "config.yaml").replace(/name: (one|two)\b/, "name: other"));
  const refused = await talosmith(["plan", at("other"), "--until", "generate"]);
  expect(refused).toMatchObject({ exitCode: 1 });
  const [, files = ""] = /rm -r (.*)/.exec(refused.stderr) ?? [];
  expect(files.split(" ")).toContain("secrets.yaml");
  for (const name of files.trim().split(" ")) rmSync(at("other", name), { recursive: true });
  expect(readdirSync(at("other"))).toEqual(["config.yaml"]);
  expect(await talosmith(["plan", at("other"), "--until", "generate"])).toMatchObject({ exitCode: 2 });
});

test("a copied folder with the same name is refused by up, another path to the original is accepted", async () => {
  cpSync(at("homelab"), at("copy"), { recursive: true });
  const refused = await up("copy");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`is a copy of ${at("homelab")}`);
  symlinkSync(at("homelab"), at("link"));
  const linked = await up("link");
  expect(linked, linked.stderr).toMatchObject({ exitCode: 0 });
});
