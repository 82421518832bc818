import * as net from "node:net";
import * as tls from "node:tls";
import type { RescueHosts } from "@talosmith/lab/rescue/hosts.ts";
import type { RescueState } from "@talosmith/lab/rescue/state.ts";
import { realNet } from "@talosmith/lib/world/net.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import type { Node } from "../../src/kubernetes/objects.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { insiderWith } from "../support/cluster.ts";
import { leaksOf, linesOfKey, pemsAmong, valuesOf } from "../support/secret-search.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { folderWith, writeConfig } from "./commands.ts";
import { said, text } from "./invariants.ts";
import { RentedScene, type RentedWishes } from "./rented-scene.ts";

/* Rented servers from their rescue systems to a cluster, and what other computers can reach of it. */

const mac = (server: number, card: number) => `96:00:00:00:0${server}:0${card}`;
const SERVERS = [
  { name: "vps-1", address: 11, cards: [mac(1, 0), mac(1, 1)] },
  { name: "vps-2", address: 12, cards: [mac(2, 0), mac(2, 1)], firmware: "uefi" as const },
];
/** The second card is in a private network of the provider's customers. */
const keys = (server: number) =>
  `installDisk: { serial: S-vps-${server} }, mac: "${mac(server, 0)}", nics: [{ mac: "${mac(server, 1)}", ip: 10.20.0.1${server}/24 }]`;
const NODES: RentedWishes["nodes"] = [
  { server: "vps-1", keys: keys(1) },
  { server: "vps-2", keys: keys(2), role: "worker" },
];
/** An address outside the cluster and its admins' networks. */
const STRANGER = "127.99.99.99";

const { signal } = new AbortController();
let scene: RentedScene;
let files: VolatileFiles;
let healthy: string;
let folder: VolatileFiles;
/** All output and commands on the way to the cluster. */
const recorded: [string, string][] = [];

beforeAll(async () => {
  scene = await RentedScene.open("takeover", SERVERS);
  files = folderWith(scene.config({ nodes: NODES }));
  const up = await scene.up(files, { stages: ALL_STAGES });
  expect(up.exitCode, said(up)).toBe(0);
  recorded.push(
    ["the events", JSON.stringify(up.events)],
    ["the calls and their commands", JSON.stringify(scene.lab.recorder.calls())],
  );
  healthy = scene.lab.snapshot();
  folder = files.afterKill();
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.lab.restore(healthy);
  files = folder.afterKill();
  scene.net = undefined;
});

/** Whether a client at `from` gets an answer there. */
function hears(host: string, port: number, from: string): Promise<boolean> {
  return new Promise((done) => {
    const plain = net.connect({ host, port, localAddress: from });
    const socket = tls.connect({ socket: plain, rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] });
    plain.once("error", () => end(false));
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once("error", () => end(false));
    socket.once("secureConnect", () => end(true));
  });
}

/** A restored lab opens its doors a moment later. */
async function isOpen(host: string, port: number, from: string): Promise<boolean> {
  for (let n = 0; n < 20; n++) if (await hears(host, port, from)) return true;
  return false;
}

test("a running cluster is planned and brought up without any SSH connection", async () => {
  const dialled: number[] = [];
  scene.net = {
    ...realNet,
    dial: (to, signal) => {
      dialled.push(to.port);
      return realNet.dial(to, signal);
    },
  };
  const plan = await scene.plan(files, undefined, ALL_STAGES);
  expect(plan.exitCode, said(plan)).toBe(0);
  const up = await scene.up(files, { stages: ALL_STAGES });
  expect(up.exitCode, said(up)).toBe(0);
  expect(dialled).toContain(50_000);
  expect(dialled).not.toContain(2222);
});

test("servers with a private network use their addresses there", async () => {
  const person = insiderWith(text(files, "/env/secrets.yaml") ?? "", scene.address("vps-1"));
  try {
    const nodes = await person.kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
    const internal = nodes.map(({ status }) => status?.addresses?.find(({ type }) => type === "InternalIP")?.address);
    expect(internal.sort()).toEqual(["10.20.0.11", "10.20.0.12"]);
    const members = await person.talos.node(scene.address("vps-1")).etcdMembers(signal);
    expect(members.flatMap(({ peerUrls }) => peerUrls)).toEqual(["https://10.20.0.11:2380"]);
  } finally {
    person.close();
  }
});

/** Files that must hold secrets: everything is derived from the first, and the others are given to users and machines. */
const HOLDERS = /^\/env\/(secrets|controlplane|worker|patch-.*)\.yaml$|^\/env\/(talosconfig|kubeconfig)$/;

test("no secret is in output, in commands run on a server, or in files that need not hold it", () => {
  const contents = (path: string) => Buffer.from(files.read(path) ?? []).toString("latin1");
  const bundle = valuesOf(parse(contents("/env/secrets.yaml")));
  const keys = [...pemsAmong(bundle), scene.published("rescue", "key")].flatMap(linesOfKey);
  const secrets = [...bundle, ...keys].map((value, at): [string, string] => [`secret ${at}`, value]);
  const others = files.paths().filter((path) => files.list(path) === undefined && !HOLDERS.test(path));
  expect(others.some((path) => path.endsWith("events.jsonl"))).toBe(true);
  expect(recorded.map(([, text]) => text).join()).toContain("mount");
  expect(leaksOf(secrets, [...recorded, ...others.map((path): [string, string] => [path, contents(path)])])).toEqual([]);
  expect(leaksOf(secrets, [["secrets.yaml", contents("/env/secrets.yaml")]]).length).toBeGreaterThan(8);
});

test("the config is not left on the disk", () => {
  const { lab } = scene;
  lab.turn(() => lab.service<RescueHosts>("rescue").powerOff(lab, "vps-1"));
  lab.settle();
  const blocks = lab.state<RescueState>("rescue").servers[0]?.disks.flatMap((disk) => Object.values(disk.blocks)) ?? [];
  expect(blocks.length).toBeGreaterThan(10);
  expect(blocks.filter((block) => Buffer.from(block, "base64").includes("aggregatorCA"))).toEqual([]);
});

test("other computers reach only declared ports, and admins reach the APIs", async () => {
  const [cp, worker] = [scene.address("vps-1"), scene.address("vps-2")];
  const closed = async (port: number, host = cp) => {
    expect(await isOpen(host, port, "127.0.0.1"), `we do not reach ${port}`).toBe(true);
    expect(await hears(host, port, STRANGER), `a stranger reaches ${port}`).toBe(false);
    // An address next to the servers.
    expect(await hears(host, port, `${scene.lab.address.prefix}.77`), `a neighbour reaches ${port}`).toBe(false);
  };
  await closed(50_000);
  await closed(6443);
  await closed(50_000, worker);
  writeConfig(files, scene.config({ nodes: NODES, extra: "  open: [{ name: kubernetes, ports: [6443], on: controlplane }]\n" }));
  const up = await scene.up(files, { stages: ALL_STAGES });
  expect(up.exitCode, said(up)).toBe(0);
  expect(await isOpen(cp, 6443, STRANGER)).toBe(true);
  await closed(50_000);
});

test("a firewall rule that would lock talosmith out is reverted", async () => {
  writeConfig(files, scene.config({ nodes: NODES, admin: "198.51.100.0/24" }));
  const up = await scene.up(files, { stages: ALL_STAGES });
  expect(up.exitCode).toBe(1);
  expect(said(up)).toMatch(/cannot be reached from here with its new config; Talos has reverted it/);
  // Only our own files have the wrong rule.
  writeConfig(files, scene.config({ nodes: NODES }));
  const { plan } = await scene.plan(files, undefined, ALL_STAGES);
  expect(plan?.changes.map(({ subject }) => subject)).toEqual(["machine configs"]);
});

test("down does not take an unresponsive server for a removed one, until its record is set aside", async () => {
  scene.lab.setOutages([{ host: 12, how: "refused" }]);
  const before = scene.lab.state<unknown>("rescue");
  const disks = JSON.stringify(before);
  const down = await scene.down(files);
  expect([down.exitCode, said(down)]).toEqual([1, expect.stringContaining("NODE_SILENT: Unable to wipe vps-2")]);
  expect(JSON.stringify(scene.lab.state<unknown>("rescue"))).toBe(disks);
  files.remove("/env/.talosmith/takeover/vps-2");
  const again = await scene.down(files);
  expect(again.exitCode, said(again)).toBe(0);
});

test("down wipes the servers and leaves them to their owner", async () => {
  const down = await scene.down(files);
  expect(down.exitCode, said(down)).toBe(0);
  const { servers } = scene.lab.state<RescueState>("rescue");
  expect(servers.map(({ isOn, runs }) => [isOn, runs])).toEqual([
    [true, "nothing"],
    [true, "nothing"],
  ]);
});
