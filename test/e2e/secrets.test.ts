import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labCalls, labFaults } from "@talosmith/lab/host/client.ts";
import { readLab } from "@talosmith/lab/host/lab-file.ts";
import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { talosmith } from "../support/child.ts";
import { leaksOf, linesOfKey, pemsAmong, valuesOf } from "../support/secret-search.ts";

// One cluster with secrets of every kind, created under faults whose messages quote requests. Then all output, files and calls are searched for
// every secret, in every spelling. The tests build on each other.

const PLANTED = "planted-value 93c2 with 'signs' & \"more\"";
const REGISTRY = "registry-Pa55word-7f";
const PASSPHRASE = "correct horse battery 91 staple";
const ENV = { PLANTED, REGISTRY, TALOSMITH_PASSPHRASE: PASSPHRASE };

let above: string;
let folder: string;
/** Output by command. */
const printed: [string, string][] = [];
/** Arguments of every started process. */
let processes: string;

const file = (name: string) => readFileSync(join(folder, name), "utf8").trim();
const address = (last: number) => `${file(".lab/block")}.${last}`;
const lab = () => readLab(realWorld(), join(folder, ".lab")) ?? expect.fail("no lab");
const faults = (...rules: FaultRule[]) => labFaults(realWorld(), lab(), rules);

/** As soon as the command is running. */
const LATE = `const wait = setInterval(() => {
  if (process.listenerCount("unhandledRejection") === 0) return;
  clearInterval(wait);
  Promise.reject(new Error(MESSAGE));
}, 5);`;

/** Records started processes and their arguments; with `late`, also throws an uncaught error. */
function preload(late?: string): string {
  const code = `import cp from "node:child_process"; import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
for (const name of ["spawn", "spawnSync", "execFile", "execFileSync", "exec", "execSync", "fork"]) {
  const real = cp[name];
  cp[name] = (...args) => (fs.appendFileSync(${JSON.stringify(processes)}, JSON.stringify([name, args[0], args[1]]) + "\\n"), real(...args));
}
syncBuiltinESMExports();
${late === undefined ? "" : LATE.replace("MESSAGE", JSON.stringify(late))}`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

async function run(args: string[], late?: string) {
  const ended = await talosmith(args, { env: ENV, node: ["--import", preload(late)], cwd: above });
  printed.push([args.join(" "), ended.stdout + ended.stderr]);
  return ended;
}

beforeAll(async () => {
  above = mkdtempSync(join(tmpdir(), "talosmith-secrets-"));
  processes = join(above, "processes");
  folder = join(above, "lab");
  const started = await run(["lab", "start", folder, "--speed", "100", "--idle", "5"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(folder, "deploy-key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const config = file("config.yaml")
    .replace(/nodes:[\s\S]*$/, `nodes:\n  - { name: cp, role: controlplane, ip: ${address(11)} }\n`)
    .replace("proxmox:\n", `proxmox:\n  ssh: { port: 2222, key: .lab/ssh-key, hostKey: "\${file:.lab/ssh-host-key}" }\n`);
  const charts = `repository: "\${file:.lab/charts}"`;
  writeFileSync(
    join(folder, "config.yaml"),
    `${config}
registries:
  registry.example.com: { mirrors: ["https://mirror.example.com"], username: me, password: "\${env:REGISTRY}" }
wireguard:
  cidr: 10.250.0.0/24
  peers: [{ name: laptop, publicKey: "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBms=", ip: 10.250.0.100 }]
addons:
  cilium: { version: 1.20.1, ${charts} }
  flux: { ${charts}, url: "ssh://git@github.com/example/fleet", branch: main, path: ./clusters/lab, key: "\${file:deploy-key}" }
  secrets:
    - { name: planted, namespace: default, data: { word: "\${env:PLANTED}" } }
`,
  );
});
afterAll(async () => {
  await talosmith(["lab", "stop", folder]);
  rmSync(above, { recursive: true });
});

const refuse = (service: string, site: string, status: number, message: string): FaultRule => ({
  service,
  site,
  times: 1,
  fault: { kind: "refuse", status, message },
});

interface Kubeconfig {
  users: { user: { "client-key-data": string } }[];
}
interface Talosconfig {
  contexts: Record<string, { key: string }>;
}

/** All values that only their owner may see, named for failure messages. */
function secrets(): [string, string][] {
  const bundle = valuesOf(parse(file("secrets.yaml")));
  const kubeconfig = (parse(file("kubeconfig")) as Kubeconfig).users.map(({ user }) => user["client-key-data"]);
  const talosconfig = Object.values((parse(file("talosconfig")) as Talosconfig).contexts).map(({ key }) => key);
  const encoded = [...bundle, ...kubeconfig, ...talosconfig];
  const keys = [...pemsAmong(encoded), file("deploy-key"), file(".lab/ssh-key")];
  const wireguard = [...`${file("patch-cp.yaml")}`.matchAll(/privateKey: "?([^"\s]{43}=)/g)].map(([, key = ""]) => key);
  expect(wireguard.length).toBe(1);
  const age = /AGE-SECRET-KEY-\S+/.exec(file("age.agekey"))?.[0] ?? "";
  return [
    ...bundle.map((value, at): [string, string] => [`value ${at} of secrets.yaml`, value]),
    ...[...kubeconfig, ...talosconfig].map((value): [string, string] => ["a key in kubeconfig or talosconfig", value]),
    ...keys.flatMap(linesOfKey).map((value): [string, string] => ["a line of a key", value]),
    ...wireguard.map((value): [string, string] => ["a key of WireGuard", value]),
    ["the age key", age],
    ["the Proxmox token", file(".lab/token").split("=")[1] ?? ""],
    ["the planted value", PLANTED],
    ["the registry's password", REGISTRY],
    ["the backup's passphrase", PASSPHRASE],
  ];
}

const leaks = (texts: readonly (readonly [string, string])[]) => leaksOf(secrets(), texts);

test("error responses of Proxmox, Talos and Kubernetes are reported without the secrets they quote", async () => {
  const prepared = await run(["host", "prepare", folder, "--yes"]);
  expect(prepared, prepared.stdout + prepared.stderr).toMatchObject({ exitCode: 0 });
  expect((await run(["up", folder, "--yes", "--until", "generate"])).exitCode).toBe(0);
  const bundle = valuesOf(parse(file("secrets.yaml")));
  const quoted = `you sent ${file(".lab/token")} and ${Buffer.from(`xx${bundle.join(" ")}`).toString("base64")}`;
  await faults(refuse("proxmox", "POST /nodes/:node/qemu", 500, quoted));
  const atProxmox = await run(["up", folder, "--yes"]);
  expect([atProxmox.exitCode, atProxmox.stdout + atProxmox.stderr]).toEqual([1, expect.stringContaining("you sent ")]);
  await faults(refuse("talos", "*ApplyConfiguration", 3, `invalid: ${file("controlplane.yaml")}\n${bundle.join("\n")}`));
  const atTalos = await run(["up", folder, "--yes", "--json"]);
  expect([atTalos.exitCode, atTalos.stdout]).toEqual([1, expect.stringContaining("invalid: ")]);
  const object = JSON.stringify({ data: { word: Buffer.from(PLANTED).toString("base64") }, said: PLANTED });
  await faults({ ...refuse("kubernetes", "PATCH*secrets*", 422, `Secret "planted" is invalid: ${object}`), times: 20 });
  const atKubernetes = await run(["up", folder, "--yes"]);
  expect([atKubernetes.exitCode, atKubernetes.stdout + atKubernetes.stderr]).toEqual([
    1,
    expect.stringContaining("is invalid: "),
  ]);
  await faults();
  const done = await run(["up", folder, "--yes"]);
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0 });
});

test("no command prints a secret, not even in an uncaught error", async () => {
  for (const command of [["plan"], ["status", "--json"], ["verify"], ["doctor", "--json"], ["runs"], ["outputs", "--json"]])
    expect([command, (await run([command[0] ?? "", folder, ...command.slice(1)])).exitCode]).toEqual([command, 0]);
  const crashed = await run(["status", folder], `uncaught: ${file(".lab/token")}`);
  expect([crashed.exitCode, crashed.stderr]).toEqual([1, expect.stringMatching(/uncaught: \S*\(secret\)/)]);
  expect(crashed.stderr).not.toMatch(/\n\s+at /);
  const backup = await run(["backup", folder, "--to", join(above, "kept.age")]);
  expect(backup, backup.stderr).toMatchObject({ exitCode: 0 });
  expect(leaks(printed)).toEqual([]);
});

test("the support bundle holds the config, runs, nodes and what is missing, and no secret", async () => {
  const made = await run(["support", folder, "--to", join(above, "help.tar.gz")]);
  expect(made, made.stdout + made.stderr).toMatchObject({ exitCode: 0 });
  expect(made.stdout).toContain("look through it before you send it");
  expect(statSync(join(above, "help.tar.gz")).mode & 0o777).toBe(0o600);
  mkdirSync(join(above, "unpacked"));
  execFileSync("tar", ["-xzf", join(above, "help.tar.gz"), "-C", join(above, "unpacked")]);
  const names = filesBelow(join(above, "unpacked"));
  for (const name of [
    "config.yaml",
    "doctor.json",
    "status.json",
    "verify.json",
    "nodes/cp.txt",
    "kubernetes.txt",
    "proxmox.txt",
    "versions.json",
  ])
    expect(names).toContain(`help/${name}`);
  expect(names.some((name) => /^help\/runs\/.*\/events\.jsonl$/.test(name))).toBe(true);
  expect(leaks(names.map((name) => [name, readFileSync(join(above, "unpacked", name), "utf8")]))).toEqual([]);
  // With an unreadable config, secrets are recognized by their shape.
  const config = file("config.yaml");
  writeFileSync(join(folder, "config.yaml"), `${config}\n  token: ${file(".lab/token")}\n bad: [\n`);
  const broken = await run(["support", folder, "--to", join(above, "broken.tar.gz")]);
  writeFileSync(join(folder, "config.yaml"), `${config}\n`);
  expect(broken, broken.stderr).toMatchObject({ exitCode: 0 });
  const text = execFileSync("tar", ["-xzOf", join(above, "broken.tar.gz")], { encoding: "utf8" });
  expect(text).toContain("Missing, and why:");
  expect(leaks([["the bundle of a broken config", text]])).toEqual([]);
});

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(path, name)).isFile());
}

/** Files that must hold secrets, with the reason. */
const HOLDERS: [RegExp, string][] = [
  [/^secrets\.yaml$/, "everything else is made from it"],
  [/^(talosconfig|kubeconfig)$/, "people come with them"],
  [/^(controlplane|worker)\.yaml$/, "they are the machines' configs"],
  [/^patch-.*\.yaml$/, "the same, of one node: its WireGuard key and the registry's password"],
  [/^age\.agekey$/, "Flux decrypts with it"],
  [/^deploy-key$/, "put there by the person"],
  [/^\.talosmith\/snapshots\//, "the cluster's Secrets are part of etcd"],
  [/^\.lab\/(?!.*\.log$)/, "the lab's own: its token and the keys of its hosts"],
];

test("down leaves no secret in files that need not hold it, in process arguments and in the names of calls", async () => {
  const calls = JSON.stringify(await labCalls(realWorld(), lab()));
  expect((await run(["down", folder, "--yes"])).exitCode).toBe(0);
  const others = filesBelow(folder).filter((name) => !HOLDERS.some(([pattern]) => pattern.test(name)));
  expect(others.filter((name) => /events\.jsonl$/.test(name)).length).toBeGreaterThan(4);
  expect(others).toEqual(expect.arrayContaining(["outputs.json", ".lab/lab.log"]));
  const texts: [string, string][] = others.map((name) => [name, readFileSync(join(folder, name), "latin1")]);
  const started = readFileSync(processes, "utf8");
  expect(started).toContain("lab");
  expect(
    leaks([...texts, ...printed, ["the arguments of processes", started], ["the calls and the commands they ran", calls]]),
  ).toEqual([]);
  expect(leaks([["the backup", readFileSync(join(above, "kept.age"), "latin1")]])).toEqual([]);
});

test("the search finds existing secrets", () => {
  const word = Buffer.from(`x${PLANTED}y`).toString("base64");
  expect(leaks([["a file", `data: ${word}`]])).toContain("the planted value is in a file");
  expect(leaks([["secrets.yaml", file("secrets.yaml")]]).length).toBeGreaterThan(8);
});
