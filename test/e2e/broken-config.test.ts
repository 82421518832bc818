import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Screen } from "../../src/views/testing/screen.ts";
import { isInstalled, ROOT, talosmith } from "../support/child.ts";

let folder: string;
let contacted = 0;
let server: net.Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "talosmith-broken-"));
  server = net.createServer((socket) => {
    contacted++;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const TOKEN = { LAB_TOKEN: "talosmith@pve!t=00000000-0000-0000-0000-000000000000" };

const good = () => `platform: proxmox
cluster:
  name: homelab
  endpoint: 10.10.0.5
  talos: v1.13.9
  kubernetes: v1.36.3
network:
  cidr: 10.10.0.0/24
  gateway: 10.10.0.1
proxmox:
  url: https://127.0.0.1:${(server.address() as net.AddressInfo).port}
  tls: { fingerprint: "${Array(32).fill("AB").join(":")}" }
  token: \${env:LAB_TOKEN}
  hosts: [pve1]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
nodes:
  - name: cp
    role: controlplane
    ip: 10.10.0.11
    memory: 8GiB
  - name: worker
    role: worker
    ip: 10.10.0.21
`;

/** The mistake, the edit that makes it, and the line that the error must name. */
const BROKEN: readonly [string, (text: string) => string, number][] = [
  ["an address outside the CIDR", (text) => text.replace("10.10.0.21", "10.11.0.21"), 24],
  ["an address used twice", (text) => text.replace("10.10.0.21", "10.10.0.11"), 24],
  ["an address that is the gateway's", (text) => text.replace("10.10.0.21", "10.10.0.1"), 24],
  ["a host name with an underscore", (text) => text.replace("name: worker", "name: worker_1"), 22],
  ["a Kubernetes version that this Talos refuses", (text) => text.replace("v1.36.3", "v1.38.0"), 6],
  ["too little memory", (text) => text.replace("8GiB", "1GiB"), 21],
  ["an unknown key", (text) => text.replace("    memory:", "    memroy:"), 21],
  ["an invalid PCI address", (text) => text.replace("    memory: 8GiB", "    pci: [{ id: banana }]"), 21],
  ["an endpoint that is a worker", (text) => text.replace("endpoint: 10.10.0.5", "endpoint: 10.10.0.21"), 4],
  ["a token variable that is not set", (text) => text.replace("LAB_TOKEN", "NO_SUCH_VARIABLE"), 13],
  ["invalid YAML", (text) => text.replace("hosts: [pve1]", "hosts: [pve1"), 14],
  ["a missing section", (text) => text.replace(/network:\n.*\n.*\n/, ""), 1],
  ["a platform that is not there yet", (text) => text.replace("platform: proxmox", "platform: oci"), 1],
  ["a key that is not built yet", (text) => text.replace("    memory: 8GiB", "    create: true"), 21],
];

test.each(BROKEN)("%s: exit code 1, an error with the right line and a hint, and no connection", async (_, breakIt, line) => {
  writeFileSync(join(folder, "config.yaml"), breakIt(good()));
  const ended = await talosmith(["plan", folder], { env: TOKEN });
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toMatch(new RegExp(`config\\.yaml:${line}:\\d+`));
  expect(ended.stderr).toContain("hint:");
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect(contacted).toBe(0);
});

/** The mistake, the edit that makes it, and what the error shows. */
const EXPLAINED: readonly [string, (text: string) => string, readonly (string | RegExp)[]][] = [
  [
    "disk_gb",
    (text) => text.replace("memory: 8GiB", "disk_gb: 40"),
    ["21:5  nodes[0].disk_gb is not a known key", "hint: did you mean disk?"],
  ],
  [
    "a key like none",
    (text) => text.replace("memory: 8GiB", "frobnicate: 1"),
    [/hint: remove it; the keys known here are (\w+, ){4}\w+ and \d+ more\n/],
  ],
  [
    "a Talos version that is a number",
    (text) => text.replace("v1.13.9", "1.13"),
    ["5:10  cluster.talos must be text; without quotes, YAML reads 1.13 as a number", "such as v1.13.9"],
  ],
  [
    "a gateway that is the network",
    (text) => text.replace("gateway: 10.10.0.1", "gateway: 10.10.0.0"),
    ["9:12  network.gateway is the network's own address", "from 10.10.0.1 to 10.10.0.254"],
  ],
  [
    "a secret in quotes",
    (text) => text.replace(`\${env:LAB_TOKEN}`, `"\${env:NO_SUCH_VARIABLE}"`),
    [` 13 │   token: "\${env:NO_SUCH_VARIABLE}"\n`, `    │           ${"^".repeat(23)}\n`],
  ],
];

test.each(EXPLAINED)("%s is explained", async (_, breakIt, shown) => {
  writeFileSync(join(folder, "config.yaml"), breakIt(good()));
  const ended = await talosmith(["plan", folder], { env: TOKEN });
  expect(ended.exitCode).toBe(1);
  for (const text of shown)
    expect(ended.stderr).toEqual(typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text));
});

test("the unmodified config is accepted, so each test above shows the effect of its edit", async () => {
  writeFileSync(join(folder, "config.yaml"), good());
  const ended = await talosmith(["plan", folder], { env: TOKEN });
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toContain("Unable to reach 127.0.0.1");
  expect(contacted).toBeGreaterThan(0);
});

/** A server that accepts connections and sends nothing until it closes all of them. */
async function silentServer() {
  const open = new Set<net.Socket>();
  const silent = net.createServer((socket) => open.add(socket.on("error", () => {})));
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const close = () => {
    silent.close();
    for (const socket of open) socket.destroy();
  };
  return { at: `127.0.0.1:${(silent.address() as net.AddressInfo).port}`, close };
}

const writeConfigFor = (server: string) =>
  writeFileSync(join(folder, "config.yaml"), good().replace(/url: .*/, `url: https://${server}`));

test("a refused connection, an unknown name and a server that does not answer each have their own cause and fix", async () => {
  const silent = await silentServer();
  const CAUSES: readonly [string, RegExp][] = [
    [
      "127.0.0.1:1",
      /: connection refused: the computer answers, .*\n.*\n {2}hint: check that the service runs there, and that https:\/\/127\.0\.0\.1:1 is /,
    ],
    // Without any network there is no DNS server that could know or not know the name.
    [
      "pve.nowhere.invalid:8006",
      /: the name pve\.nowhere\.invalid is unknown\n.*\n {2}hint: correct the name, .* getent hosts pve\.nowhere\.invalid\n|: no DNS server answers .*\n.*\n {2}hint: check this computer's network and DNS server, /,
    ],
    [silent.at, /: no answer within 10 s\n.*\n {2}hint: check that the server is switched on, .* no firewall or missing VPN /],
  ];
  for (const [at, explained] of CAUSES) {
    writeConfigFor(at);
    const { exitCode, stderr } = await talosmith(["plan", folder], { env: TOKEN });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(explained)]);
    expect(stderr).toContain(`✗ Unable to reach ${at}: `);
    expect(stderr).toContain("runbook: ./talosmith runbook UNREACHABLE\n");
  }
  silent.close();
});

test.skipIf(!isInstalled("script"))(
  "on a terminal a silent command names what it reads, and erases that before the error",
  async () => {
    const silent = await silentServer();
    writeConfigFor(silent.at);
    const screen = new Screen(200);
    const command = `'${process.execPath}' '${ROOT}/talosmith' plan '${folder}'`;
    const env = { ...process.env, ...TOKEN, NO_COLOR: "1", TERM: "xterm" };
    let shown = "";
    const exitCode = await new Promise((ended) => {
      const child = execFile("script", ["-qec", command, "/dev/null"], { env, timeout: 60_000 });
      child.stdout?.on("data", (part: string) => {
        screen.write(part);
        if (!/reading from .*s$/.test(screen.text())) return;
        shown = screen.lines().at(-1) ?? "";
        silent.close();
      });
      child.on("close", ended);
    });
    expect(shown).toMatch(new RegExp(`^reading from ${silent.at}: [1-9]\\d*\\.\\d s$`));
    expect(exitCode).toBe(1);
    expect(screen.text()).toContain(`✗ Unable to reach ${silent.at}: `);
    expect(screen.text()).not.toContain("reading from");
  },
);
