import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { Bench } from "@talosmith/lab/proxmox/testing/bench.ts";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import ssh2 from "ssh2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newSshKey } from "../../test/support/ssh-key.ts";
import { type TestSession, testSession } from "../../test/support/toy.ts";
import { loadConfig } from "../config/load.ts";
import { definitionOf } from "../platforms/all.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import type { InitWishes } from "../platforms/init-answers.ts";
import type { Questions } from "../platforms/questions.ts";
import { hostKeyOf } from "../platforms/vps/init-host-key.ts";
import { initEnvironment } from "./init.ts";

const FOLDER = "/environments/Home Lab";
const FILE = `${FOLDER}/config.yaml`;
const TOKEN = "deployer@pve!talos=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";
let bench: Bench;

beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.lab.close());

const text = (session: TestSession, path = FILE) => Buffer.from(session.world.files.read(path) ?? "").toString();
const config = (session: TestSession) => loadConfig(PLATFORM_CONFIGS, session.world, FOLDER, new Redactor()).config;

async function init(
  session: TestSession,
  platform: "proxmox" | "metal" | "vps",
  wishes: InitWishes & { force?: boolean } & Record<string, unknown> = {},
  ask?: Questions,
) {
  await initEnvironment(
    { ...session, redactor: new Redactor() },
    definitionOf({ platform }),
    FOLDER,
    { force: false, ...wishes },
    ask,
  );
  return session.events
    .flatMap((event) => (event.type === "result" && event.result.kind === "facts" ? [event.result] : []))
    .at(-1);
}

/** Answers by the beginning of the question; other questions get their default. */
class Person implements Questions {
  readonly asked: string[] = [];
  readonly heard: string[] = [];

  constructor(readonly answers: Record<string, string | boolean> = {}) {}

  #answer<T>(message: string, offered: T): T {
    this.asked.push(message);
    const key = Object.keys(this.answers).find((start) => message.startsWith(start));
    return key === undefined ? offered : (this.answers[key] as T);
  }
  async text(question: Parameters<Questions["text"]>[0]) {
    const answer = this.#answer(question.message, question.initial ?? "");
    expect(question.check?.(answer)).toBeUndefined();
    return answer;
  }
  async secret({ message }: { message: string }) {
    return this.#answer(message, "");
  }
  async choose<T extends string>({ message, of, initial }: { message: string; of: readonly { value: T }[]; initial?: T }) {
    return this.#answer(message, initial ?? (of[0] as { value: T }).value);
  }
  async chooseMany({ message, initial }: { message: string; initial: readonly string[] }) {
    return [...this.#answer(message, initial)];
  }
  async confirm({ message, initial }: { message: string; initial: boolean }) {
    return this.#answer(message, initial);
  }
  say(_level: string, message: string) {
    this.heard.push(message);
  }
}

test("without a terminal the file contains the example's values, and blanks for what only the user knows", async () => {
  const session = testSession();
  const result = await init(session, "proxmox");
  expect(text(session)).toContain("name: home-lab ");
  expect(result?.facts.map(({ value }) => value)).toEqual([
    "proxmox.url still contains a placeholder",
    "proxmox.tls.fingerprint still contains a placeholder",
    "environment variable PROXMOX_TOKEN is not set",
    "proxmox.hosts[0] still contains a placeholder",
  ]);
  expect(result?.next[0]).toBe("export PROXMOX_TOKEN='user@realm!name=secret'");
});

test("with all values given as flags, the file loads as it is", async () => {
  const session = testSession({ env: { PROXMOX_TOKEN: TOKEN } });
  const fingerprint = `${"AB:".repeat(31)}AB`;
  const result = await init(session, "proxmox", {
    name: "rack",
    url: "https://10.0.0.2:8006",
    fingerprint,
    hosts: ["pve1", "pve2"],
    cidr: "172.16.8.0/22",
    gateway: "172.16.8.5",
    controlPlanes: 3,
    workers: 4,
    cni: "cilium",
  });
  expect(result?.facts).toEqual([]);
  expect(config(session)).toMatchObject({
    cluster: { name: "rack", vip: "172.16.8.50", cni: "cilium" },
    network: { cidr: "172.16.8.0/22", gateway: "172.16.8.5", nameservers: ["172.16.8.5"] },
    proxmox: { url: "https://10.0.0.2:8006", hosts: ["pve1", "pve2"], tls: { by: "fingerprint", fingerprint } },
  });
  expect(config(session).nodes).toHaveLength(7);
});

test.each([
  ["proxmox", "10.10.0.0", "10.10.0.0 is the network's own address, which no machine can have"],
  ["metal", "10.10.0.255", "10.10.0.255 is the network's broadcast address, which no machine can have"],
  ["metal", "10.11.0.1", "10.11.0.1 is outside 10.10.0.0/24"],
] as const)(
  "on %s the gateway %s is refused with the usable range, and nothing is written",
  async (platform, gateway, message) => {
    const session = testSession();
    const refused = init(session, platform, { cidr: "10.10.0.0/24", gateway });
    await expect(refused).rejects.toMatchObject({
      message,
      hint: "choose an address from 10.10.0.1 to 10.10.0.254. Nothing was written.",
    });
    expect(session.world.files.read(FILE)).toBeUndefined();
  },
);

test("a metal environment loads as it is; a floating endpoint leaves the network cards blank", async () => {
  const session = testSession();
  expect((await init(session, "metal", { controlPlanes: 3 }))?.facts).toEqual([]);
  expect(config(session)).toMatchObject({ platform: "metal", cluster: { endpoint: "10.10.0.11" } });
  const result = await init(session, "metal", { endpoint: "10.10.0.5", controlPlanes: 1, force: true });
  expect(result?.facts.map(({ value }) => value)).toEqual(["nodes[0].mac still contains a placeholder"]);
});

test("nothing is overwritten without --force", async () => {
  const session = testSession();
  await init(session, "metal");
  const before = text(session);
  await expect(init(session, "metal", { name: "other" })).rejects.toThrow("it exists already");
  expect(text(session)).toBe(before);
  await init(session, "metal", { name: "other", force: true });
  expect(text(session)).toContain("name: other");
});

test("a folder with a config in another spelling is left alone", async () => {
  const session = testSession();
  session.world.files.makeFolder(FOLDER, 0o700);
  session.world.files.create(`${FOLDER}/config.yml`, Buffer.from("cluster_name: x\n"), 0o600);
  await expect(init(session, "metal", { force: true })).rejects.toThrow("has a config already: config.yml");
});

test.each([
  [{ cidr: "10.0.0.1/24" }, "10.0.0.1/24 is an address inside the network, not the network"],
  [{ cidr: "10.0.0.0/29", workers: 20 }, "Unable to place 21 nodes in 10.0.0.0/29"],
  [{ name: "Home Lab" }, "Home Lab is not a valid host name"],
])("%j is refused before anything is written", async (wishes, message) => {
  const session = testSession();
  await expect(init(session, "proxmox", wishes)).rejects.toThrow(message);
  expect(session.world.files.stat(FOLDER)).toBeUndefined();
});

test("the user is shown the certificate, and chooses from Proxmox's hosts and storages", async () => {
  const { url = "", token = "", fingerprint = "" } = bench.lab.published().proxmox ?? {};
  const session = testSession({ env: { PROXMOX_TOKEN: token } });
  const person = new Person({ "Address of the Proxmox API": url, "Proxmox hosts": ["pve2"] as unknown as string });
  const result = await init(session, "proxmox", {}, person);
  expect(person.heard[0]).toContain(fingerprint);
  expect(person.heard).toContain("the API token is in the environment variable PROXMOX_TOKEN");
  expect(result?.facts).toEqual([]);
  expect(config(session)).toMatchObject({
    proxmox: {
      url,
      hosts: ["pve2"],
      tls: { by: "fingerprint", fingerprint },
      storage: { disks: "local-lvm", images: "local" },
      bridge: "vmbr0",
    },
  });
  expect(person.asked.some((message) => message.startsWith("Storage for the Talos image"))).toBe(false);
});

test("a token that is typed is kept in a file of its own, and never in the config", async () => {
  const { url = "", token = "" } = bench.lab.published().proxmox ?? {};
  const session = testSession();
  const person = new Person({ "Address of the Proxmox API": url, "API token": token });
  await init(session, "proxmox", {}, person);
  expect(text(session)).toContain(`token: \${file:proxmox-token}`);
  expect(text(session)).not.toContain(token.split("=")[1]);
  expect([text(session, `${FOLDER}/proxmox-token`), session.world.files.stat(`${FOLDER}/proxmox-token`)?.mode]).toEqual([
    `${token}\n`,
    0o600,
  ]);
  expect(JSON.stringify(session.events)).not.toContain(token.split("=")[1]);
});

test("a certificate that is not confirmed is not pinned, and the token is not sent", async () => {
  const { url = "", token = "" } = bench.lab.published().proxmox ?? {};
  const session = testSession({ env: { PROXMOX_TOKEN: token } });
  const person = new Person({ "Address of the Proxmox API": url, "Is it the right one?": false });
  const result = await init(session, "proxmox", {}, person);
  expect(result?.facts.map(({ value }) => value)).toEqual(["proxmox.tls.fingerprint still contains a placeholder"]);
  expect(person.asked).toContain("Proxmox hosts to use, by name");
});

test("a Proxmox that cannot be reached is reported, and typed values are accepted", async () => {
  const session = testSession({ env: { PROXMOX_TOKEN: TOKEN } });
  const person = new Person({
    "Address of the Proxmox API": "https://127.0.0.1:1",
    "How can the right": "system",
    "Proxmox hosts": "a, b",
  });
  await init(session, "proxmox", {}, person);
  expect(person.heard[0]).toContain("https://127.0.0.1:1 cannot be reached now");
  expect(config(session)).toMatchObject({ proxmox: { tls: { by: "system" }, hosts: ["a", "b"] } });
});

test("machines that do not answer are listed, and a floating endpoint asks for MAC addresses", async () => {
  const session = testSession();
  const person = new Person({
    "Network of": "127.90.1.0/24",
    "How many control": "3",
    "How many workers": "0",
    "MAC address of cp-1": "BC:24:11:00:00:01",
    "MAC address of cp-2": "BC:24:11:00:00:02",
    "MAC address of cp-3": "BC:24:11:00:00:03",
  });
  await init(session, "metal", {}, person);
  expect(person.heard[0]).toContain("no answer on port 50000 yet from 127.90.1.11, 127.90.1.12, 127.90.1.13");
  expect(config(session)).toMatchObject({ cluster: { vip: "127.90.1.5" }, nodes: [{ mac: "BC:24:11:00:00:01" }, {}, {}] });
});

test("rented servers by flags: values that only the user knows are blank, and with all flags the file loads as it is", async () => {
  const session = testSession();
  expect((await init(session, "vps"))?.facts.map(({ value }) => value)).toEqual([
    "cluster.endpoint still contains a placeholder",
    "network.gateway still contains a placeholder",
    "nodes[0].ip still contains a placeholder",
    "firewall.admin[0] still contains a placeholder",
  ]);
  const result = await init(session, "vps", {
    addresses: ["203.0.113.11", "203.0.113.12", "203.0.113.13", "192.0.2.9/32"],
    prefix: 24,
    gateway: "203.0.113.1",
    admin: ["198.51.100.7", "10.0.0.0/8"],
    provider: "ovh",
    force: true,
  });
  expect(result?.facts).toEqual([]);
  expect(config(session)).toMatchObject({
    platform: "vps",
    cluster: { endpoint: "203.0.113.11", kubespan: true },
    firewall: { admin: ["198.51.100.7/32", "10.0.0.0/8"] },
    vps: { provider: { name: "ovh" } },
    nodes: [
      { name: "node-1", role: "controlplane", prefix: 24 },
      { role: "controlplane" },
      { role: "controlplane" },
      { name: "node-4", role: "worker", prefix: 32, gateway: "203.0.113.1" },
    ],
  });
});

test("a flag for rented servers that is wrong is refused before anything is written", async () => {
  const session = testSession();
  await expect(init(session, "vps", { addresses: ["203.0.113"] })).rejects.toThrow("203.0.113 is not an IP address");
  await expect(init(session, "vps", { admin: ["everybody"] })).rejects.toThrow("everybody is not a network");
  expect(session.world.files.stat(FOLDER)).toBeUndefined();
});

/** An SSH server that refuses every login but shows its host key. */
async function sshServer(): Promise<{ host: string; port: number; hostKey: string; close(): void }> {
  const { privateKey: key } = newSshKey();
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => client.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const parsed = ssh2.utils.parseKey(key);
  const blob = "getPublicSSH" in parsed ? parsed.getPublicSSH() : Buffer.alloc(0);
  const hostKey = `SHA256:${createHash("sha256").update(blob).digest("base64").replaceAll("=", "")}`;
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port, hostKey, close: () => server.close() };
}

test("the user is shown a server's host key, which is written once it is confirmed", async () => {
  const server = await sshServer();
  const answers = { "Public addresses": "203.0.113.11/24", "Networks or": "198.51.100.7" };
  for (const right of [true, false]) {
    const session = testSession();
    const net = Object.create(session.world.net, { dial: { value: () => session.world.net.dial(server, session.signal) } });
    const person = new Person({ ...answers, "Are these the keys": right });
    const result = await init({ ...session, world: { ...session.world, net } }, "vps", {}, person);
    expect([result?.facts, person.heard]).toEqual([[], [`node-1: 203.0.113.11 shows the host key ${server.hostKey}`]]);
    expect(text(session).includes(`ssh: { hostKey: "${server.hostKey}" }`)).toBe(right);
  }
  server.close();
});

test("a server without SSH has no host key", async () => {
  const { world, signal } = testSession();
  expect(await hostKeyOf(world, { host: "127.0.0.1", port: 1 }, signal)).toBeUndefined();
  const deaf = await world.net.listen({ host: "127.0.0.1", port: 0 }, (socket) =>
    socket.on("error", () => {}).end("220 mail\r\n"),
  );
  expect(await hostKeyOf(world, { host: "127.0.0.1", port: deaf.port }, signal)).toBeUndefined();
  await deaf.close();
});

test("servers that do not answer are listed, and their keys are left blank", async () => {
  const session = testSession();
  const person = new Person({
    "Public addresses": "127.90.2.11, 127.90.2.12",
    "Networks or": "127.0.0.1",
    "Gateway of the servers": "127.90.2.1",
  });
  expect((await init(session, "vps", {}, person))?.facts).toEqual([]);
  expect(person.heard[0]).toContain("node-1: no answer on port 22 of 127.90.2.11");
  expect(text(session)).toContain('# ssh: { hostKey: "SHA256:…" }');
  expect(config(session)).toMatchObject({ nodes: [{ role: "controlplane", prefix: 24 }, { role: "worker" }] });
});

test("a cancelled init writes nothing", async () => {
  const session = testSession();
  const left = new TalosmithError("user", "LEFT", { message: "left", hint: "again" });
  const person = new Person();
  person.confirm = () => Promise.reject(left);
  await expect(init(session, "proxmox", {}, Object.assign(person, { text: () => Promise.reject(left) }))).rejects.toThrow("left");
  expect(session.world.files.stat(FOLDER)).toBeUndefined();
});
