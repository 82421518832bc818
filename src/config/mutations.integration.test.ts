import { readFileSync } from "node:fs";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { Chance } from "../../test/support/chance.ts";
import { runs } from "../../test/support/runs.ts";
import {
  EVERYTHING_ON_PROXMOX_BESIDE,
  EVERYTHING_ON_PROXMOX as ON_PROXMOX,
} from "../platforms/proxmox/config/testing/everything.ts";
import { EVERYTHING_ON_VPS_BESIDE, EVERYTHING_ON_VPS as ON_VPS } from "../platforms/vps/config/testing/everything.ts";
import { GOOD, loadFolder, METAL, TOKEN, type Trial, VPS } from "./testing/config-in-memory.ts";
import { EVERYTHING, EVERYTHING_BESIDE } from "./testing/everything.ts";
import { type Base, baseOf, changedBytes, changedText, changedValues } from "./testing/mutants.ts";

/* Thousands of configs with something wrong in them. Each is taken, or refused as a person needs it, and costs little. */

/** With FULL=1 all of them. */
const COUNT = runs(1_000, 10_000);
/** Nothing a person could write may take longer, in time of the processor alone. */
const MOST_CPU_MS = 2_000;

const example = (name: string) => readFileSync(`environments/${name}-example/config.yaml`, "utf8");
/** The flat spelling. */
const FLAT = JSON.stringify({
  platform: "proxmox",
  proxmox_host: "192.168.122.70",
  proxmox_node: "pve",
  proxmox_api_user: "root@pam",
  proxmox_api_token_id: "terraform",
  proxmox_api_token_secret: TOKEN.split("=")[1],
  proxmox_ssh_host: "192.168.122.70",
  talos_version: "v1.12.4",
  cluster_name: "fluodata",
  cluster_vip: "10.10.0.5",
  vm_gateway: "10.10.0.1",
  vm_netmask: 24,
  vm_nameservers: "10.10.0.1",
  vm_memory: 8192,
  controlplane_nodes: [{ name: "cp-1", ip: "10.10.0.11", disk: "40G" }],
  worker_nodes: [{ name: "worker-1", ip: "10.10.0.21", memory: 4096 }],
  cilium_version: "1.17.3",
});
const FLAT_ON_VPS = JSON.stringify({
  platform: "vps",
  talos_version: "v1.12.4",
  cluster_name: "fluodata",
  vm_gateway: "203.0.113.1",
  vm_nameservers: "9.9.9.9",
  vps_ssh_key: "id",
  vps_ssh_port: 2222,
  admin_networks: "198.51.100.7/32",
  controlplane_nodes: [{ name: "node-0", ip: "203.0.113.11" }],
  worker_nodes: [{ name: "node-1", ip: "192.0.2.9/32" }],
  cilium_version: "1.17.3",
});
const [CLUSTER = "", NODES = ""] = GOOD.split(/^(?=nodes:)/m);

const ENV = {
  ...EVERYTHING_BESIDE.env,
  ...EVERYTHING_ON_PROXMOX_BESIDE.env,
  ...EVERYTHING_ON_VPS_BESIDE.env,
};
const SECRETS = [TOKEN.split("=")[1] ?? "", ...Object.values(ENV)];
const BESIDE = { ...EVERYTHING_BESIDE.files, ...EVERYTHING_ON_PROXMOX_BESIDE.files, ...EVERYTHING_ON_VPS_BESIDE.files };

/** How a text becomes a folder: most are its config.yaml. */
type Placed = (text: string | Uint8Array) => Record<string, string | Uint8Array>;
const alone: Placed = (text) => ({ ...BESIDE, "config.yaml": text });

const SMALL = [GOOD, METAL, VPS, FLAT, FLAT_ON_VPS].map((text): [Base, Placed] => [baseOf(text), alone]);
const LARGE = [EVERYTHING, ON_PROXMOX, ON_VPS].map((text): [Base, Placed] => [baseOf(text), alone]);
const SHOWN = ["proxmox", "vps", "metal"].map((name): [Base, Placed] => [baseOf(example(name)), alone]);
const SPREAD: [Base, Placed][] = [
  [baseOf(CLUSTER), (text) => ({ "cluster.yaml": text, "nodes.yaml": NODES })],
  [baseOf(NODES), (text) => ({ "cluster.yaml": CLUSTER, "nodes.yaml": text })],
  [baseOf(GOOD), (text) => ({ "config.yaml": "extends: ../base.yaml\n", "../base.yaml": text })],
  [baseOf(`extends: ../base.yaml\n${NODES}`), (text) => ({ "config.yaml": text, "../base.yaml": GOOD })],
];

let refused = 0;
let taken = 0;
let worstMs = 0;

/** A config is taken, or refused with problems that all have a place and a hint; and never is a secret seen. */
function tried(files: NonNullable<Trial["files"]>, env: Record<string, string> = ENV): void {
  const before = process.cpuUsage();
  try {
    loadFolder({ files, env });
    taken++;
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    refused++;
    mustBeHelpful(error, files);
  } finally {
    const { user, system } = process.cpuUsage(before);
    worstMs = Math.max(worstMs, (user + system) / 1000);
  }
}

/** Not by `expect`, which would take longer than the loading. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function mustBeHelpful(error: TalosmithError, files: NonNullable<Trial["files"]>): void {
  const report = error.report();
  const problems = report.problems ?? [];
  must(report.kind === "user" && report.code === "CONFIG_INVALID", `${report.kind} ${report.code}: ${report.message}`);
  must(problems.length > 0 && report.hint !== undefined, "an error without problems, or without a hint");
  for (const { kind, message, hint = "", where } of problems) {
    const told = JSON.stringify({ message, hint, where });
    must(kind === "user" && message !== "" && hint !== "", `no message or no hint: ${told}`);
    must(where !== undefined && where.line >= 1 && where.column >= 1 && (where.frame ?? "").includes("^"), `no place: ${told}`);
    must((where?.line ?? 0) <= linesOf(files, where?.file ?? ""), `a line behind the end of its file: ${told}`);
    must(told.length < 8_000, `too long to read: ${told.length} letters: ${told.slice(0, 3000)}`);
    must(
      !/undefined|\[object |NaN\b|Cannot read|is not a function/.test(
        message.replace(/(NaN|undefined|\[object Object\])(?=["\]. ]|$)/g, ""),
      ),
      `our own words: ${told}`,
    );
  }
  const all = JSON.stringify(report);
  for (const secret of SECRETS) must(!all.includes(secret), `a secret is shown: ${all}`);
}

function linesOf(files: NonNullable<Trial["files"]>, path: string): number {
  const [, text] = Object.entries(files).find(([name]) => path.endsWith(name.replace(/^(\.\.\/)+/, ""))) ?? [];
  if (text === undefined) return 1;
  return Buffer.from(text).toString("utf8").split("\n").length;
}

test(`${COUNT} mutated configs are accepted, or refused with proper problems`, () => {
  for (let seed = 1; seed <= COUNT; seed++) {
    const chance = new Chance(seed);
    const kind = chance.below(20);
    const [base, placed] = chance.of(kind < 11 ? SMALL : kind < 15 ? SPREAD : kind < 17 ? LARGE : SHOWN);
    const how = chance.below(10);
    const made = how < 6 ? changedValues(chance, base) : how < 9 ? changedText(chance, base) : changedBytes(chance, base);
    try {
      tried(placed(made));
    } catch (error) {
      throw new Error(`mutated config ${seed}: ${(error as Error).message}\n${Buffer.from(made).toString().slice(0, 3000)}`, {
        cause: error,
      });
    }
  }
  console.info(`mutated configs: ${COUNT}, refused ${refused}, loaded ${taken}, worst ${Math.round(worstMs)} ms`);
  expect(refused).toBeGreaterThan(COUNT / 2);
  expect(taken).toBeGreaterThan(COUNT / 50);
  expect(worstMs).toBeLessThan(MOST_CPU_MS);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
