import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { TalosmithError } from "../lib/errors.ts";
import { load, loadFolder, TOKEN } from "./testing/config-in-memory.ts";
import { EVERYTHING, EVERYTHING_BESIDE } from "./testing/everything.ts";
import { EVERYTHING_ON_PROXMOX_BESIDE, EVERYTHING_ON_PROXMOX as ON_PROXMOX } from "./testing/everything-on-proxmox.ts";
import { EVERYTHING_ON_VPS_BESIDE, EVERYTHING_ON_VPS as ON_VPS } from "./testing/everything-on-vps.ts";

const EXAMPLE = readFileSync("environments/proxmox-example/config.yaml", "utf8").replace(`\${env:PROXMOX_TOKEN}`, TOKEN);
const RENTED = readFileSync("environments/vps-example/config.yaml", "utf8");
const METAL = readFileSync("environments/metal-example/config.yaml", "utf8");
/** The same in the flat spelling. */
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
const SECRET = TOKEN.split("=")[1] ?? "";
const ENV = { ...EVERYTHING_BESIDE.env, ...EVERYTHING_ON_PROXMOX_BESIDE.env, ...EVERYTHING_ON_VPS_BESIDE.env };
const SECRETS = [SECRET, ...Object.values(ENV)];

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 1.5, 2 ** 60, Number.NaN, "", " ", "10.10.0.11", "10.10.0.0/24", "::1", "8GB", "v1.99.0"),
  fc.constantFrom(`\${env:PROXMOX_TOKEN}`, `\${env:GONE}`, `\${file:gone}`, `\${x}`, `\${`, "~/x", "https://a:b@c"),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "\u0000",
    "\u202egnirts",
    "日本語",
    "e\u0301",
    "\ud83d\ude00",
    "a\nb",
    "- x",
    "x".repeat(5000),
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 90 }).map((depth) => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], "deep")),
);

const change = fc.record({
  place: fc.nat(500),
  how: fc.constantFrom("replace" as const, "drop" as const, "rename" as const, "wrap" as const),
  value: odd,
});

const some = fc.array(change, { minLength: 1, maxLength: 4 });

/** Every place in a value that something can be put into. */
function* slots(value: unknown): Generator<{ holder: Record<string, unknown>; key: string }> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield { holder: value as Record<string, unknown>, key };
    yield* slots((value as Record<string, unknown>)[key]);
  }
}

function mutate(config: unknown, { place, how, value }: { place: number; how: string; value: unknown }): void {
  const all = [...slots(config)];
  const slot = all[place % Math.max(1, all.length)];
  if (slot === undefined) return;
  const { holder, key } = slot;
  const old = holder[key];
  if (how === "replace") holder[key] = value;
  else if (how === "wrap") holder[key] = [old, value];
  else delete holder[key];
  if (how === "rename")
    Object.defineProperty(holder, typeof value === "string" ? value : "renamed", {
      value: old,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** A config is taken, or refused with problems that all have a place and a hint; and never is a secret seen. */
function tried(text: string | Uint8Array): void {
  try {
    loadFolder({
      files: {
        "config.yaml": text,
        ...EVERYTHING_BESIDE.files,
        ...EVERYTHING_ON_PROXMOX_BESIDE.files,
        ...EVERYTHING_ON_VPS_BESIDE.files,
      },
      env: ENV,
    });
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    const report = error.report();
    expect([report.kind, report.code]).toEqual(["user", "CONFIG_INVALID"]);
    expect(report.problems?.length).toBeGreaterThan(0);
    for (const problem of report.problems ?? []) {
      expect(problem.message).not.toBe("");
      expect(problem.hint ?? "").not.toBe("");
      expect(problem.where?.line).toBeGreaterThan(0);
      expect(problem.where?.column).toBeGreaterThan(0);
      expect(problem.where?.frame).toContain("^");
    }
    for (const secret of SECRETS) expect(JSON.stringify(report)).not.toContain(secret);
  }
}

test("the unchanged config is taken", () => {
  expect(load(EXAMPLE).config.nodes).toHaveLength(3);
});

test("a config with values changed, dropped, renamed or wrapped is taken, or refused as it should be", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(EXAMPLE, EVERYTHING, EVERYTHING, ON_PROXMOX, ON_PROXMOX, METAL, FLAT, ON_VPS, ON_VPS, RENTED, FLAT_ON_VPS),
      some,
      fc.boolean(),
      fc.boolean(),
      (text, changes, flow, windows) => {
        const config: unknown = parse(text);
        for (const one of changes) mutate(config, one);
        const changed = flow ? JSON.stringify(config) : stringify(config);
        tried(windows ? changed.replaceAll("\n", "\r\n") : changed);
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);

test("a config with its very text damaged is taken, or refused as it should be", () => {
  const piece = fc.constantFrom("\t", "[", "{", '"', "'", "---\n", "&a ", "*a", ": ", "\n- ", "!x ", "${", "}", "\r", "#", "|\n");
  const damage = fc.record({
    at: fc.nat(EXAMPLE.length),
    drop: fc.nat(30),
    insert: fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), piece),
  });
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
      tried(damages.reduce((text, { at, drop, insert }) => text.slice(0, at) + insert + text.slice(at + drop), EXAMPLE));
    }),
    { numRuns: 150 },
  );
}, 120_000);

test("any bytes at all are taken, or refused as they should be", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), tried), { numRuns: 200 });
});

test("every line of a file can be missing without a surprise", () => {
  for (const text of [EXAMPLE, EVERYTHING, ON_PROXMOX, ON_VPS]) {
    const lines = text.split("\n");
    const said = (line: string) => !/^\s*(#|$)/.test(line);
    for (const [index, line] of lines.entries()) if (said(line)) tried(lines.filter((_, other) => other !== index).join("\n"));
  }
}, 120_000);
