import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import type { PlanResult } from "../../src/engine/result.ts";
import type { KubernetesObject } from "../../src/kubernetes/objects.ts";
import { talosmith } from "../support/child.ts";
import { type Insider, insider } from "../support/cluster.ts";

// Every preset, a chart, a manifest and a planted Secret in one cluster with a GPU worker. The tests build on each other.

const PASSWORD = "grafana-password-5f1d";
const PLANTED = "planted-value-93c2";
const { signal } = new AbortController();
let folder: string;
let person: Insider;
/** The output of all commands. */
let printed = "";

const file = (name: string) => readFileSync(join(folder, name), "utf8").trim();
const address = (last: number) => `${file(".lab/block")}.${last}`;
const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text.trimEnd()}\n`);

async function run(...args: string[]) {
  const ended = await talosmith(args, { env: { GRAFANA_PASSWORD: PASSWORD, PLANTED } });
  printed += ended.stdout + ended.stderr;
  return ended;
}

async function plan(...flags: string[]): Promise<{ exitCode: number | null; changes: string[] }> {
  const { exitCode, stdout, stderr } = await run("plan", folder, "--json", ...flags);
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

async function up(...flags: string[]) {
  const ended = await run("up", folder, "--yes", ...flags);
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ exitCode: 0 });
  return ended;
}

const edit = (from: string | RegExp, to: string) => write("config.yaml", file("config.yaml").replace(from, to));

async function read<T extends KubernetesObject>(apiVersion: string, kind: string, name: string, namespace?: string) {
  return person.kubernetes.get<T>({ apiVersion, kind, name, ...(namespace !== undefined && { namespace }) }, signal);
}

const CHARTS = `"\${file:.lab/charts}"`;
const from = (more = "") => `{ repository: ${CHARTS}${more} }`;
const ADDONS = () => `addons:
  cilium:
    repository: ${CHARTS}
    hubble: true
    loadBalancer: { addresses: [${address(200)}-${address(210)}], announce: l2 }
  metricsServer: ${from()}
  nvidia: ${from()}
  certManager: ${from()}
  longhorn: ${from(", replicas: 2, defaultClass: true")}
  localPath: ${from(", defaultClass: false")}
  proxmoxCsi: ${from(`, token: "\${file:.lab/token}", classes: [{ name: fast, storage: local-lvm }]`)}
  proxmoxCcm: ${from(`, token: "\${file:.lab/token}"`)}
  talosCcm: ${from(", values: { enabledControllers: [node-csr-approval] }")}
  monitoring: ${from(
    `, destinations: { cloud: { type: prometheus, url: "https://metrics.example.org/push", username: "17", password: "\${env:GRAFANA_PASSWORD}" } }`,
  )}
  flux: ${from(`, url: "ssh://git@github.com/example/fleet", branch: main, path: ./clusters/lab, key: "\${file:deploy-key}"`)}
  argocd: ${from()}
  charts:
    - { name: podinfo, chart: podinfo, repository: ${CHARTS}, version: 6.9.2, namespace: web, values: { replicaCount: 2 } }
  manifests: [hello.yaml]
  secrets:
    - { name: planted, namespace: default, data: { word: "\${env:PLANTED}" } }
`;

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "talosmith-addons-")), "lab");
  const started = await talosmith(["lab", "start", folder, "--gpu", "pve2", "--speed", "100", "--idle", "5"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  const { privateKey } = generateKeyPairSync("ed25519");
  write("deploy-key", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  write(
    "hello.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hello, namespace: default }\ndata: { greeting: hello }",
  );
  const gpu = `  - { name: gpu-1, role: worker, ip: ${address(31)}, host: pve2, pci: [{ mapping: gpu0, gpu: nvidia }] }\n`;
  edit(/addons:[\s\S]*$/, gpu + ADDONS());
  edit("proxmox:\n", `proxmox:\n  ssh: { port: 2222, key: .lab/ssh-key, hostKey: "\${file:.lab/ssh-host-key}" }\n`);
  const prepared = await run("host", "prepare", folder, "--yes");
  expect(prepared, prepared.stdout + prepared.stderr).toMatchObject({ exitCode: 0 });
});
afterAll(async () => {
  person?.close();
  await talosmith(["lab", "stop", folder]);
  rmSync(join(folder, ".."), { recursive: true });
});

test("up installs every preset, verify passes, and the second plan is empty", async () => {
  await up();
  person = insider(folder, address(11));
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
  const verify = await run("verify", folder);
  expect(verify, verify.stdout).toMatchObject({ exitCode: 0 });
});

test("Flux has its repository, its path and its key, and only Flux has the key", async () => {
  const key = file("age.agekey")
    .split("\n")
    .find((line) => line.startsWith("AGE-SECRET-KEY-1"));
  expect(statSync(join(folder, "age.agekey")).mode & 0o777).toBe(0o600);
  const secret = await read<KubernetesObject & { data: Record<string, string> }>("v1", "Secret", "sops-age", "flux-system");
  expect(Buffer.from(secret?.data["age.agekey"] ?? "", "base64").toString()).toContain(key);
  const source = await read("source.toolkit.fluxcd.io/v1", "GitRepository", "flux-system", "flux-system");
  expect(source).toMatchObject({
    spec: { url: "ssh://git@github.com/example/fleet", ref: { branch: "main" }, secretRef: { name: "flux-system" } },
  });
  const sync = await read("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "flux-system", "flux-system");
  expect(sync).toMatchObject({
    spec: {
      path: "./clusters/lab",
      prune: true,
      sourceRef: { kind: "GitRepository", name: "flux-system" },
      decryption: { provider: "sops", secretRef: { name: "sops-age" } },
    },
  });
  const runs = readdirSync(join(folder, ".talosmith/runs")).flatMap((id) =>
    readdirSync(join(folder, ".talosmith/runs", id)).map((name) => file(join(".talosmith/runs", id, name))),
  );
  for (const secretText of [key ?? "", PASSWORD, PLANTED, file("deploy-key").split("\n")[1] ?? ""])
    for (const text of [printed, ...runs, file("outputs.json")]) expect(text).not.toContain(secretText);
});

test("the plan shows a changed value of the config and nothing else, and up changes it", async () => {
  edit("replicaCount: 2", "replicaCount: 3");
  expect(await plan()).toEqual({ exitCode: 2, changes: ["update podinfo: values.replicaCount 2 → 3"] });
  await up();
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
  expect(await read("apps/v1", "Deployment", "podinfo", "web")).toMatchObject({ spec: { replicas: 3 } });
});

test("an addon removed from the config stays and is reported, until up is called with its name", async () => {
  edit(/ {4}- \{ name: podinfo.*\n/, "");
  edit(/ {2}charts:\n/, "");
  const left = await run("plan", folder);
  expect([left.exitCode, left.stdout]).toEqual([0, expect.stringContaining("podinfo")]);
  const mistyped = await run("plan", folder, "--remove-addon", "podinof");
  expect([mistyped.exitCode, mistyped.stderr]).toEqual([
    1,
    `✗ --remove-addon podinof: there is no addon of this name\n  leftover addons: podinfo\n  hint: did you mean podinfo? Nothing was changed.\n\n`,
  ]);
  // A preset can be named by its key in the config.
  const wanted = await run("plan", folder, "--remove-addon", "certManager");
  expect([wanted.exitCode, wanted.stderr]).toEqual([
    1,
    expect.stringContaining("Unable to remove cert-manager: it is in the config"),
  ]);
  expect((await plan("--remove-addon", "podinfo")).exitCode).toBe(2);
  await up("--remove-addon", "podinfo");
  expect(await read("apps/v1", "Deployment", "podinfo", "web")).toBeUndefined();
  expect(await plan()).toEqual({ exitCode: 0, changes: [] });
});
