import { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runs } from "../../../test/support/runs.ts";
import { PLATFORM_CONFIGS } from "../../platforms/configs.ts";
import { EVERYTHING_ON_VPS, EVERYTHING_ON_VPS_BESIDE } from "../../platforms/vps/config/testing/everything.ts";
import { loadWritten } from "../load.ts";
import { FOLDER } from "../testing/config-in-memory.ts";
import { EVERYTHING, EVERYTHING_BESIDE } from "../testing/everything.ts";
import { writeConfig } from "./write.ts";

const SECRET = "0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";
const env: Record<string, string> = {
  ...EVERYTHING_BESIDE.env,
  ...EVERYTHING_ON_VPS_BESIDE.env,
  PUBLIC_GATEWAY: "203.0.113.1",
  SECRET,
  TOKEN: `a@pve!b=${SECRET}`,
  NAME: "from-outside",
  GATEWAY: "10.10.0.1",
};

function written(files: Record<string, string>): { text: string; config: unknown } {
  const read = (path: string) => {
    const found = files[path.slice(FOLDER.length + 1)];
    return found === undefined ? undefined : Buffer.from(found);
  };
  const world = { files: { read, stat: () => undefined }, env: (name: string) => env[name] } as unknown as World;
  const { loaded, tree, names } = loadWritten(PLATFORM_CONFIGS, world, FOLDER, new Redactor());
  return { text: writeConfig(PLATFORM_CONFIGS, tree, names), config: revealed(loaded.config) };
}

/** Secrets all look the same unless they are asked, and functions never do. */
function revealed(value: unknown): unknown {
  if (typeof value === "function") return "a function";
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revealed(v)]));
  return value;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const node = fc.record(
  {
    cores: fc.integer({ min: 4, max: 64 }),
    memory: fc.integer({ min: 4096, max: 65536 }),
    disk: fc.oneof(
      fc.integer({ min: 20, max: 900 }),
      fc.integer({ min: 20, max: 900 }).map((size) => `${size}G`),
    ),
    tags: fc.subarray(["a", "on", "1e3", "0x10"]),
    onboot: fc.boolean(),
    vlan: fc.integer({ min: 1, max: 4094 }),
  },
  { requiredKeys: [] },
);

const flat = fc
  .record({
    proxmox_host: fc.constantFrom("192.168.122.70", "pve.home:443", "https://pve.home:8006"),
    proxmox_node: fc.constantFrom("pve", "true", "1e3"),
    proxmox_api_token_secret: fc.constantFrom(SECRET, `\${env:SECRET}`),
    proxmox_api_token_id: fc.constantFrom("terraform", "root@pam!terraform"),
    proxmox_ssh_host: maybe(fc.constantFrom("192.168.122.70", "jump")),
    proxmox_ssh_host_key: maybe(fc.constant(`SHA256:${"a".repeat(43)}`)),
    talos_version: fc.constantFrom("v1.12.4", "v1.13.9", "v1.14.0"),
    talos_schematic_id: maybe(fc.constant(`${"1234567890".repeat(6)}1234`)),
    cluster_name: fc.constantFrom("fluodata", "null", "123", `\${env:NAME}`),
    vm_gateway: fc.constantFrom("10.10.0.1", `\${env:GATEWAY}`),
    vm_netmask: maybe(fc.constantFrom("255.255.255.0", 24, 16)),
    vm_nameservers: maybe(fc.constantFrom("1.1.1.1", ["1.1.1.1", "9.9.9.9"])),
    vm_memory: maybe(fc.integer({ min: 4096, max: 65536 })),
    cilium_version: maybe(fc.constantFrom("1.17.3", "1.20.1")),
    controlplane_nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
    worker_nodes: maybe(fc.array(node, { maxLength: 4 })),
  })
  .map((keys) => ({
    platform: "proxmox",
    proxmox_api_user: "root@pam",
    cluster_vip: "10.10.0.5",
    ...keys,
    controlplane_nodes: keys.controlplane_nodes.map((one, n) => ({ name: `cp-${n}`, ip: `10.10.0.${11 + n}`, ...one })),
    ...(keys.worker_nodes && {
      worker_nodes: keys.worker_nodes.map((one, n) => ({ name: `w-${n}`, ip: `10.10.0.${21 + n}`, ...one })),
    }),
  }));

test("a flat config, written out, loads to the same config", () => {
  fc.assert(
    fc.property(flat, (keys) => {
      // JSON is YAML, and leaves out what is undefined.
      const before = written({ "config.yml": JSON.stringify(keys) });
      expect(written({ "config.yaml": before.text }).config).toEqual(before.config);
    }),
    { numRuns: runs(30) },
  );
}, 60_000);

/** What YAML 1.1 or 1.2 takes for something else when it is not quoted. */
const AMBIGUOUS = [
  "No",
  "on",
  "y",
  "~",
  "null",
  "0777",
  "0o17",
  "0x1F",
  "0b1",
  "1_000",
  "12:30:45",
  "1e3",
  ".5",
  "-.inf",
  "2026-01-01",
  "=",
  "<<",
];
const word = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...AMBIGUOUS));
const values = fc.dictionary(word, fc.oneof(word, fc.dictionary(word, word, { maxKeys: 3 }), fc.jsonValue({ maxDepth: 3 })), {
  maxKeys: 5,
});

test("two files, written out, load to the same config, whatever a chart's values are", () => {
  fc.assert(
    fc.property(values, fc.boolean(), fc.array(node, { minLength: 1, maxLength: 3 }), (chart, pinned, nodes) => {
      const cluster = {
        platform: "proxmox",
        cluster: { name: `\${env:NAME}`, endpoint: "10.10.0.5", talos: "v1.13.9", cni: "cilium" },
        network: { cidr: "10.10.0.0/24", gateway: "10.10.0.1" },
        proxmox: {
          url: "https://pve.home:8006",
          tls: pinned ? { fingerprint: `${"AB:".repeat(31)}AB` } : "system",
          token: `\${env:TOKEN}`,
          hosts: ["pve1", "pve2"],
        },
        addons: { cilium: { values: withoutReferences(chart) } },
      };
      const list = nodes.map(({ memory, disk, ...rest }, n) => ({
        name: `n-${n}`,
        role: n === 0 ? "controlplane" : "worker",
        ip: `10.10.0.${11 + n}`,
        ...rest,
        ...(memory !== undefined && { memory: `${memory}MiB` }),
        ...(disk !== undefined && { disk: `${parseInt(String(disk), 10)}GiB` }),
      }));
      const before = written({ "cluster.yaml": JSON.stringify(cluster), "nodes.yaml": JSON.stringify({ nodes: list }) });
      expect(written({ "config.yaml": before.text }).config).toEqual(before.config);
    }),
    { numRuns: runs(30) },
  );
}, 60_000);

test("a config with every key, written out, loads to the same config", () => {
  const before = written({ "config.yaml": EVERYTHING, ...EVERYTHING_BESIDE.files });
  const after = written({ "config.yaml": before.text, ...EVERYTHING_BESIDE.files });
  expect(after).toEqual({ text: before.text, config: before.config });
  for (const secret of Object.values(EVERYTHING_BESIDE.env)) expect(before.text).not.toContain(secret);
});

test("the same values in two files give the same config", () => {
  const at = EVERYTHING.indexOf("nodes:\n");
  const end = EVERYTHING.indexOf("patches:\n  all:");
  const pair = {
    "cluster.yaml": EVERYTHING.slice(0, at) + EVERYTHING.slice(end),
    "nodes.yaml": EVERYTHING.slice(at, end),
    ...EVERYTHING_BESIDE.files,
  };
  expect(written(pair).config).toEqual(written({ "config.yaml": EVERYTHING, ...EVERYTHING_BESIDE.files }).config);
});

function withoutReferences(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("$", "S"));
}

test("references stay references, and the old names are gone", () => {
  const { text } = written({
    "config.yml": `platform: proxmox
proxmox_host: 192.168.122.70
proxmox_node: pve
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: \${env:SECRET}
talos_version: v1.12.4
cluster_name: fluodata
cluster_vip: 10.10.0.5
vm_gateway: 10.10.0.1
controlplane_nodes: [{ name: cp-1, ip: 10.10.0.11, memory: 8192 }]
`,
  });
  expect(text).not.toContain(SECRET);
  expect(parse(text)).toEqual({
    platform: "proxmox",
    cluster: { name: "fluodata", talos: "v1.12.4", endpoint: "10.10.0.5" },
    network: { gateway: "10.10.0.1", cidr: "10.10.0.0/24" },
    proxmox: { url: "https://192.168.122.70:8006", host: "pve", token: `root@pam!terraform=\${env:SECRET}`, tls: "system" },
    nodes: [{ name: "cp-1", role: "controlplane", ip: "10.10.0.11", memory: "8192MiB" }],
  });
  expect(text).toMatch(/^# yaml-language-server.*\n#\n# Generated from config.yml by talosmith import/);
});

test("flat keys of rented servers mean the same in sections, and so does everything that can be said of them", () => {
  const flat = [
    `platform: vps\ntalos_version: v1.13.9\ncluster_name: fluodata\nvm_gateway: \${env:PUBLIC_GATEWAY}\nvm_nameservers: 9.9.9.9`,
    "controlplane_nodes: [{ name: node-0, ip: 203.0.113.11/25 }, { name: node-1, ip: 203.0.113.12 }]",
    "vps_ssh_port: 2222\nvps_ssh_host_key: first\nadmin_networks: 198.51.100.7/32\n",
  ].join("\n");
  for (const [name, text] of [
    ["config.yml", flat],
    ["config.yaml", EVERYTHING_ON_VPS],
  ] as const) {
    const before = written({ ...EVERYTHING_ON_VPS_BESIDE.files, [name]: text });
    const after = written({ ...EVERYTHING_ON_VPS_BESIDE.files, "config.yaml": before.text });
    expect(after.config).toEqual(before.config);
    expect(after.text.replace(/^# Generated .*$/m, "")).toBe(before.text.replace(/^# Generated .*$/m, ""));
  }
});
