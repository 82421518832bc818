import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { expectGenerated } from "../../test/support/generated.ts";
import { runs } from "../../test/support/runs.ts";
import { suggestAddresses } from "../config/examples/addresses.ts";
import { BLANK } from "../config/examples/answers.ts";
import { minimal } from "../config/examples/minimal.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import type { JsonSchema } from "../config/reference-words.ts";
import { load, loadMetal, loadVps, problems } from "../config/testing/config-in-memory.ts";
import { PLATFORM_CONFIGS } from "./configs.ts";
import { METAL_EXAMPLE, metalExample } from "./metal/config/example.ts";
import { PROXMOX_EXAMPLE, proxmoxExample } from "./proxmox/config/example/proxmox.ts";
import { VPS_EXAMPLE, vpsExample } from "./vps/config/example.ts";

test("the committed examples are this text (UPDATE=1 rewrites them)", () => {
  expectGenerated("environments/proxmox-example/config.yaml", proxmoxExample(PLATFORM_CONFIGS, PROXMOX_EXAMPLE));
  expectGenerated("environments/metal-example/config.yaml", metalExample(PLATFORM_CONFIGS, METAL_EXAMPLE));
  expectGenerated("environments/vps-example/config.yaml", vpsExample(PLATFORM_CONFIGS, VPS_EXAMPLE));
});

test("the example of rented servers loads without a problem or a warning", () => {
  const { config, warnings } = loadVps(readFileSync("environments/vps-example/config.yaml", "utf8"));
  expect(warnings).toEqual([]);
  expect(config.nodes.map(({ name, role, ip, prefix }) => `${name} ${role} ${ip}/${prefix}`)).toEqual([
    "node-1 controlplane 203.0.113.11/24",
    "node-2 controlplane 203.0.113.12/24",
    "node-3 controlplane 203.0.113.13/24",
  ]);
  expect(config.cluster).toMatchObject({ scheduleOnControlPlanes: true, kubespan: false });
});

test("the example for metal loads without a problem or a warning", () => {
  const { config, warnings } = loadMetal(readFileSync("environments/metal-example/config.yaml", "utf8"));
  expect(warnings).toEqual([]);
  expect(config.nodes.map(({ name, ip }) => `${name} ${ip}`)).toEqual([
    "cp-1 10.10.0.11",
    "worker-1 10.10.0.21",
    "worker-2 10.10.0.22",
  ]);
});

/** Every key of the sections that is available, but not what is inside a chart's values. */
function keysOf(json: JsonSchema): string[] {
  return Object.entries(json.properties ?? {}).flatMap(([key, inner]) => {
    if (inner.description?.endsWith("Not available yet.")) return [];
    return [key, ...shapesOf(inner).flatMap(keysOf)];
  });
}

/** A value may be one of several, a list of them, or a map of them. */
function shapesOf(json: JsonSchema): JsonSchema[] {
  const more = typeof json.additionalProperties === "object" ? [json.additionalProperties] : [];
  return [json, ...[...(json.anyOf ?? []), ...(json.items ? [json.items] : []), ...more].flatMap(shapesOf)];
}

test.each([
  ["proxmox", proxmoxExample(PLATFORM_CONFIGS, PROXMOX_EXAMPLE), load],
  ["metal", metalExample(PLATFORM_CONFIGS, METAL_EXAMPLE), loadMetal],
  ["vps", vpsExample(PLATFORM_CONFIGS, VPS_EXAMPLE), loadVps],
])("the minimal config for %s loads, and every key of it is needed", (_, example, read) => {
  const text = minimal(PLATFORM_CONFIGS, example, example);
  const { config, warnings } = read(text);
  expect(warnings).toEqual([]);
  expect(text.split("\n").filter((line) => line.includes("#"))).toEqual([
    "# yaml-language-server: $schema=../../schema/config.schema.json",
  ]);
  const tree = parse(text);
  for (const path of leavesOf(tree)) {
    const without = structuredClone(tree);
    const parent = path.slice(0, -1).reduce((at, step) => at[step], without);
    delete parent[path.at(-1) ?? ""];
    const isSame = () => isDeepStrictEqual(read(stringify(without)).config, config);
    expect(attempt(isSame), path.join(".")).not.toBe(true);
  }
});

/** The paths of all values that are not sections. */
function leavesOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  const entries = Object.entries(value).filter(([, inner]) => !Array.isArray(inner) || typeof inner[0] === "object");
  return entries.flatMap(([key, inner]) => leavesOf(inner).map((path) => [key, ...path]));
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

test("a minimal config keeps what was answered", () => {
  const example = metalExample(PLATFORM_CONFIGS, METAL_EXAMPLE);
  const answered = metalExample(PLATFORM_CONFIGS, { ...METAL_EXAMPLE, cni: "cilium", installDisk: "/dev/nvme0n1" });
  const { cluster, defaults } = parse(minimal(PLATFORM_CONFIGS, answered, example));
  expect(cluster.cni).toBe("cilium");
  expect(defaults).toEqual({ all: { installDisk: "/dev/nvme0n1" } });
});

test("together the examples explain every key there is", () => {
  const text =
    proxmoxExample(PLATFORM_CONFIGS, PROXMOX_EXAMPLE) +
    metalExample(PLATFORM_CONFIGS, METAL_EXAMPLE) +
    vpsExample(PLATFORM_CONFIGS, VPS_EXAMPLE);
  const silent = [...new Set(keysOf(configJsonSchema(PLATFORM_CONFIGS) as JsonSchema))].filter(
    (key) => !new RegExp(`\\b${key}:`).test(text),
  );
  expect(silent).toEqual([]);
});

test("what is still blank is all that is wrong with a file", () => {
  const text = proxmoxExample(PLATFORM_CONFIGS, { ...PROXMOX_EXAMPLE, url: BLANK, fingerprint: BLANK, hosts: [BLANK] });
  expect(problems(text).map((problem) => problem.replace(/^\S+ /, ""))).toEqual([
    "proxmox.url still contains a placeholder",
    "proxmox.tls.fingerprint still contains a placeholder",
    "proxmox.hosts[0] still contains a placeholder",
  ]);
});

const counts = fc.record({ controlPlanes: fc.constantFrom(1, 3, 5), workers: fc.integer({ min: 0, max: 9 }) });
const network = fc.tuple(fc.integer({ min: 8, max: 28 }), fc.nat(2 ** 31)).map(([prefix, bits]) => {
  const base = Math.floor((10 * 2 ** 24 + (bits % 2 ** 24)) / 2 ** (32 - prefix)) * 2 ** (32 - prefix);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join(".")}/${prefix}`;
});

test("whatever the network and the counts, the files load, with names of hosts that YAML would misread", () => {
  fc.assert(
    fc.property(
      network,
      counts,
      fc.constantFrom("pve", "1", "true", "0x1", "on"),
      fc.constantFrom("flannel", "cilium", "none"),
      (cidr, count, host, cni) => {
        const addresses = suggestAddresses(cidr, count);
        if (addresses === undefined) {
          expect(Number(cidr.split("/")[1])).toBeGreaterThan(26);
          return;
        }
        const answers = { cidr, ...count, ...addresses, nameservers: [addresses.gateway], cni } as const;
        const { config } = load(
          proxmoxExample(PLATFORM_CONFIGS, { ...PROXMOX_EXAMPLE, ...answers, hosts: [host], fingerprint: undefined }),
        );
        expect([config.nodes.length, config.cluster.vip, config.proxmox.hosts]).toEqual([
          count.controlPlanes + count.workers,
          addresses.endpoint,
          [host],
        ]);
        const macs = Array.from({ length: count.controlPlanes }, (_, n) => `BC:24:11:00:00:1${n}`);
        expect(loadMetal(metalExample(PLATFORM_CONFIGS, { ...METAL_EXAMPLE, ...answers, macs })).config.nodes).toHaveLength(
          config.nodes.length,
        );
      },
    ),
    { numRuns: runs(20) },
  );
});

test("addresses keep out of the way of a gateway in the middle", () => {
  expect(suggestAddresses("10.0.0.0/24", { controlPlanes: 3, workers: 3 }, "10.0.0.12")).toEqual({
    gateway: "10.0.0.12",
    endpoint: "10.0.0.50",
    controlPlane: "10.0.0.51",
    worker: "10.0.0.61",
  });
});

test("with Cilium, Kubernetes is one that it was tested with, so that a new file has no warnings", () => {
  const answers = { ...PROXMOX_EXAMPLE, talos: "v1.14.1", cni: "cilium", fingerprint: undefined } as const;
  expect(load(proxmoxExample(PLATFORM_CONFIGS, answers)).warnings).toEqual([]);
});
