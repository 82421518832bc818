import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, talosmith } from "../support/child.ts";
import { Root } from "../support/root.ts";

// FluoData's own example with its blanks filled in, on a lab with its addresses where only the Proxmox host can reach the nodes. A wire redirects
// the addresses to the lab.

const FLAT = (secret: string, fingerprint: string) => `platform: proxmox

# Proxmox connection
proxmox_host: 192.168.122.70
proxmox_node: pve
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: ${secret}
proxmox_tls_fingerprint: "${fingerprint}"
proxmox_ssh_host: 192.168.122.70
proxmox_ssh_user: root

# Talos + cluster
talos_version: v1.12.4
talos_schematic_id: e187c9b90f773cd8c84e5a3265c5554ee787b2fe67b508d9f955e90e7ae8c96c
cluster_name: fluodata
cluster_vip: 10.10.0.5

# Network + nodes + Cilium
vm_gateway: 10.10.0.1
controlplane_nodes:
  - { name: cp-1, ip: 10.10.0.11 }
worker_nodes:
  - { name: worker-1, ip: 10.10.0.21 }
  - { name: worker-2, ip: 10.10.0.22 }
cilium_version: "1.17.3"
`;

let home: string;
let lab: string;
let folder: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-flat-"));
  lab = join(home, "lab");
  folder = join(home, "proxmox-homelab");
  const flags = [
    "--speed",
    "100",
    "--idle",
    "5",
    "--hosts",
    "pve",
    "--private",
    "--as",
    "192.168.122.70",
    "--network",
    "10.10.0.0/24",
  ];
  const started = await talosmith(["lab", "start", lab, ...flags]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  const services = JSON.parse(readFileSync(join(lab, ".lab/lab.json"), "utf8")).services;
  const root = await Root.login(services.proxmox.url, "proxmox-lab");
  const made = await root.call("POST", "/access/users/root@pam/token/terraform", { privsep: 0 });
  mkdirSync(folder);
  writeFileSync(join(folder, "config.yml"), FLAT((made as { value: string }).value, services.proxmox.fingerprint));
  // The SSH files of a user who has logged in there before.
  mkdirSync(join(home, ".ssh"), { mode: 0o700 });
  writeFileSync(join(home, ".ssh/id_ed25519"), services.ssh.key, { mode: 0o600 });
  writeFileSync(join(home, ".ssh/known_hosts"), `192.168.122.70 ${services.ssh.hostKey}\n`);
});
afterAll(async () => {
  await talosmith(["lab", "stop", lab]);
  rmSync(home, { recursive: true });
});

const run = (...args: string[]) =>
  talosmith([...args, "--wire", join(lab, ".lab/wire.yaml")], { env: { HOME: home, SSH_AUTH_SOCK: "" } });

test("the flat config comes up through SSH to the Proxmox host, and the next plan is empty", async () => {
  const up = await run("up", folder, "--yes");
  expect(up.exitCode, up.stdout + up.stderr).toBe(0);
  expect(up.stdout).toContain("fluodata is up: 1 control plane, 2 workers, all Ready");
  // Without the wire, the next command would go to the servers that the config names.
  expect(up.stdout).toContain(`  ./talosmith tunnel ${folder} --wire ${lab}/.lab/wire.yaml\n`);
  const plan = await run("plan", folder);
  expect([plan.exitCode, plan.stdout]).toEqual([0, expect.anything()]);
});

test("only the host can reach the nodes", async () => {
  const direct = join(home, "direct");
  mkdirSync(direct);
  const text = readFileSync(join(folder, "config.yml"), "utf8").replace(/^proxmox_ssh_.*\n/gm, "");
  writeFileSync(join(direct, "config.yml"), text);
  writeFileSync(join(direct, "secrets.yaml"), readFileSync(join(folder, "secrets.yaml")), { mode: 0o600 });
  const doctor = await run("doctor", direct);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain("cp-1 does not answer at 10.10.0.11");
});

test("tunnel forwards to the Kubernetes API through the same host, until it is interrupted", async () => {
  const args = ["tunnel", folder, "--json", "--wire", join(lab, ".lab/wire.yaml")];
  const tunnel = spawn(process.execPath, [`${ROOT}/talosmith`, ...args], {
    env: { ...process.env, HOME: home, SSH_AUTH_SOCK: "" },
  });
  const ended = new Promise((done) => tunnel.once("close", done));
  try {
    const line = await new Promise<string>((done) => createInterface(tunnel.stdout).once("line", done));
    const facts: { key: string; value: string }[] = JSON.parse(line).result.facts;
    const address = facts.find((fact) => fact.key === "address")?.value;
    const kubeconfig = readFileSync(join(folder, "kubeconfig"), "utf8");
    const pem = (key: string) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(kubeconfig)?.[1] ?? "", "base64");
    const identity = { ca: pem("certificate-authority-data"), cert: pem("client-certificate-data"), key: pem("client-key-data") };
    const answer = await new Promise<string>((done, failed) => {
      https
        .get(`${address}/version`, { ...identity, agent: false }, (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (part: string) => (body += part));
          response.on("end", () => done(body));
        })
        .on("error", failed);
    });
    expect(JSON.parse(answer)).toMatchObject({ gitVersion: "v1.35.0" });
  } finally {
    tunnel.kill("SIGINT");
    await ended;
  }
});

test("import writes an equivalent config.yaml", async () => {
  const imported = await run("import", folder);
  expect(imported.exitCode, imported.stderr).toBe(0);
  rmSync(join(folder, "config.yml"));
  const plan = await run("plan", folder);
  expect(plan.exitCode, plan.stdout + plan.stderr).toBe(0);
});
