import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/child.ts";

// What users install, made from the working tree: the npm package, and the single binary.

/** The Node that runs the package and is in the binary. Conformance names a newer one. */
const node = process.env.PACKAGE_NODE ?? process.execPath;

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
let home: string;
let out: string;
let archive: string;
/** An installation of the package in an empty folder, and the binary. */
let installed: string;
let binary: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-package-"));
  out = join(home, "out");
  await run(process.execPath, [join(ROOT, "release/package.js"), "--binary", "--node", node, "--out", out]);
  archive = join(out, `talosmith-${version}.tgz`);
  binary = join(out, `talosmith-${version}-${process.platform}-${process.arch}`);
  installed = join(home, "installed");
  mkdirSync(installed);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], { cwd: installed });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Options {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a program that must succeed, and returns its output. */
function run(file: string, args: readonly string[], options: Options = {}): Promise<string> {
  return new Promise((done, failed) => {
    execFile(file, [...args], { ...options, timeout: 300_000, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error) failed(new Error(`${file} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
      else done(stdout + stderr);
    });
  });
}

/** The first hour of a new user in an empty folder: commands that must succeed, and a part of what they print. */
const FIRST_HOUR: readonly (readonly [command: string, printed: string])[] = [
  ["demo --speed instant", "demo is up: 1 control plane, 2 workers, all Ready"],
  ["status environments/demo", "Ready v1.36.3"],
  ["plan environments/demo", "No changes."],
  ["verify environments/demo", "no problems"],
  ["down environments/demo --yes", "demo"],
  ["rehearse environments/homelab", "the rehearsal of homelab passed"],
];

/** A config for a network that is not here. */
const HOMELAB = `platform: proxmox
cluster: { name: homelab, endpoint: 192.168.7.5, talos: v1.13.9 }
network: { cidr: 192.168.7.0/24, gateway: 192.168.7.1 }
proxmox:
  url: https://192.168.7.2:8006
  tls: { fingerprint: "${Array(32).fill("4F").join(":")}" }
  token: "\${env:PROXMOX_TOKEN}"
  hosts: [pve]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 2, memory: 4GiB, disk: 20GiB }
nodes:
  - { name: cp, role: controlplane, count: 1, ip: 192.168.7.11 }
  - { name: worker, role: worker, count: 1, ip: 192.168.7.21 }
`;

async function firstHour(program: string, cwd: string, env: Record<string, string>): Promise<void> {
  mkdirSync(join(cwd, "environments/homelab"), { recursive: true });
  writeFileSync(join(cwd, "environments/homelab/config.yaml"), HOMELAB);
  const talosmith = (command: string) => run(program, command.split(" "), { cwd, env });
  try {
    for (const [command, printed] of FIRST_HOUR) expect(await talosmith(command), command).toContain(printed);
    expect(schemaOf(join(cwd, "environments/demo"))).toHaveProperty("properties.cluster");
    await expectRunbook(program, { cwd, env });
  } finally {
    await talosmith("lab stop environments/demo");
  }
}

/** The schema that the first line of a config names. */
function schemaOf(folder: string) {
  const [, name = ""] = /\$schema=(\S+)/.exec(readFileSync(join(folder, "config.yaml"), "utf8")) ?? [];
  return JSON.parse(readFileSync(join(folder, name), "utf8"));
}

/** An error ends with a command; typed as it is printed, it prints the page of the repository. */
async function expectRunbook(program: string, options: Options): Promise<void> {
  writeFileSync(join(options.cwd ?? "", "environments/demo/.lab/fingerprint"), `${"00:".repeat(31)}00\n`);
  const failed = await run(program, ["plan", "environments/demo"], options).catch(({ message }: Error) => message);
  const [, command = "", ...args] = /runbook: (\S+) (runbook) (TLS_FINGERPRINT)$/m.exec(failed) ?? [];
  expect(args, failed).toHaveLength(2);
  const text = readFileSync(join(ROOT, "docs/runbooks/TLS_FINGERPRINT.md"), "utf8");
  expect(await run(command, args, options)).toBe(text);
}

test("the installed package brings a cluster up from an empty folder, and consists of nothing but itself", async () => {
  const program = join(installed, "node_modules/.bin/talosmith");
  await firstHour(program, join(home, "by-package"), { PATH: dirname(node), NO_COLOR: "1" });
  expect(readdirSync(join(installed, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["talosmith"]);
});

test("the binary does the same where there is no Node and no home folder", async () => {
  await firstHour(binary, join(home, "by-binary"), { PATH: "/nowhere", NO_COLOR: "1" });
});

test("npx runs the package without installing it", async () => {
  const args = ["--offline", "--yes", `--package=${archive}`, "talosmith", "--version"];
  expect(await run("npx", args, { cwd: home })).toContain(`talosmith ${version}`);
});

test("the schema that a new config names is beside it", async () => {
  const cwd = join(home, "by-package-init");
  mkdirSync(cwd);
  await run(join(installed, "node_modules/.bin/talosmith"), ["init", "metal", "mine", "--yes"], { cwd });
  expect(schemaOf(join(cwd, "mine")).properties.cluster.properties.endpoint.description).toMatch(/address/);
});

test("every link in the packaged documents leads to a file of the package", () => {
  const folder = join(installed, "node_modules/talosmith");
  const documents = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/runbooks/LOCKED.md", "docs/guides/01-first-cluster.md"]));
  const dead = documents
    .filter((name) => name !== "THIRD_PARTY_LICENSES.md")
    .flatMap((name) =>
      [...readFileSync(join(folder, name), "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(folder, dirname(name), target)))
        .map((target) => `${name}: ${target}`),
    );
  expect(dead).toEqual([]);
});

test("the package names what it contains, and passes its licenses on", () => {
  const folder = join(installed, "node_modules/talosmith");
  const { components } = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"));
  const names = components.map(({ name }: { name: string }) => name);
  // Those that the program imports itself; esbuild only builds it.
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const direct = Object.keys(dependencies).filter((name) => !name.startsWith("@talosmith/") && name !== "esbuild");
  expect(names).toEqual(expect.arrayContaining(direct));
  const licenses = readFileSync(join(folder, "THIRD_PARTY_LICENSES.md"), "utf8");
  expect(names.filter((name: string) => !licenses.includes(`## ${name} `))).toEqual([]);
});

test("SHA256SUMS has the sum of every file that is released", () => {
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("\n");
  const files = readdirSync(out).filter((name) => name.startsWith("talosmith-"));
  expect(sums).toEqual(
    files.sort().map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, name)))
          .digest("hex")}  ${name}`,
    ),
  );
  expect(files).toHaveLength(3);
});
