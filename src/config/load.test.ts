import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plainMachine } from "../platforms/proxmox/config/testing/plain-machine.ts";
import { changed, failure, GOOD, load, problems, TOKEN, tokenOf } from "./testing/config-in-memory.ts";

const nodes = (config: string) => load(config).config.nodes;
const warnings = (config: string) =>
  load(config).warnings.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);

test("the smallest sensible file gets every default", () => {
  const { config } = load(GOOD);
  expect(config.cluster).toEqual({
    name: "homelab",
    endpoint: "10.10.0.5",
    vip: "10.10.0.5",
    talos: "v1.13.9",
    // The default of v1.13.9 (docs/facts/talos.md#versions).
    kubernetes: "v1.36.3",
    contract: "v1.13",
    cni: "flannel",
    scheduleOnControlPlanes: false,
    // docs/facts/talos.md#generated-configuration
    podSubnets: ["10.244.0.0/16"],
    serviceSubnets: ["10.96.0.0/12"],
    dnsDomain: "cluster.local",
    certSANs: [],
    kubeletCertificates: false,
    externalCloudProvider: false,
    discovery: true,
    kubespan: false,
  });
  expect(config.network).toEqual({
    cidr: "10.10.0.0/24",
    prefix: 24,
    gateway: "10.10.0.1",
    nameservers: ["10.10.0.1"],
    via: "direct",
    timeServers: [],
  });
  expect(config.image).toEqual({
    talosPlatform: "nocloud",
    method: "import",
    clone: "full",
    factory: "https://factory.talos.dev",
    arch: "amd64",
    secureboot: false,
  });
  expect(config.registries).toEqual([]);
  expect(config).not.toHaveProperty("firewall");
  expect(config.proxmox.storage).toEqual({ disks: "local-lvm", images: "local" });
  expect(config.proxmox.ssh).toEqual({ host: "192.168.122.70", port: 22, user: "root" });
  expect(config.nodes[0]).toEqual(plainMachine({ name: "cp", role: "controlplane", ip: "10.10.0.11" }));
});

test("a good file has no warnings", () => {
  expect(load(GOOD).warnings).toEqual([]);
});

test("the config is frozen through and through", () => {
  const { config } = load(GOOD);
  expect(() => Object.assign(config.nodes[0] ?? {}, { ip: "10.0.0.1" })).toThrow(TypeError);
});

test("the token is a secret that is revealed only on request", () => {
  const { config } = load(GOOD);
  expect([String("token" in config.proxmox && config.proxmox.token), tokenOf(config)]).toEqual(["(secret)", TOKEN]);
});

test("the committed example loads without a problem or a warning", () => {
  const { config, warnings } = load(readFileSync("environments/proxmox-example/config.yaml"));
  expect(warnings).toEqual([]);
  expect(config.nodes.map(({ name, role }) => `${name} ${role}`)).toEqual([
    "cp-1 controlplane",
    "worker-1 worker",
    "worker-2 worker",
  ]);
  expect(config.proxmox.hosts).toEqual(["pve1", "pve2", "pve3"]);
});

test("count numbers names, addresses and VM ids", () => {
  const found = nodes(changed({ "count: 2,": "count: 3, vmid: 200," })).slice(1);
  expect(found.map(({ name, ip, vmid }) => `${name} ${ip} ${vmid}`)).toEqual([
    "worker-1 10.10.0.21 200",
    "worker-2 10.10.0.22 201",
    "worker-3 10.10.0.23 202",
  ]);
});

test("count: 1 still numbers the name, no count never does", () => {
  expect(nodes(changed({ "count: 2": "count: 1" })).map(({ name }) => name)).toEqual(["cp", "worker-1"]);
});

test("addresses count up across the end of an octet", () => {
  const config = changed({ "10.10.0.0/24": "10.10.0.0/16", "count: 2, ip: 10.10.0.21": "count: 2, ip: 10.10.0.255" });
  expect(nodes(config).map(({ ip }) => ip)).toEqual(["10.10.0.11", "10.10.0.255", "10.10.1.0"]);
});

test("a node's own settings override its role's, which override those of all", () => {
  const config = changed({
    "nodes:":
      "defaults:\n  all: { cores: 6, memory: 6GiB, disk: 60GiB, tags: [a] }\n  worker: { memory: 7GiB, disk: 70GiB }\nnodes:",
    "count: 2,": "count: 1, disk: 80GiB,",
  });
  const [control, worker] = nodes(config);
  expect([control?.cores, control?.memory, control?.disk]).toEqual([6, 6144, 60]);
  expect([worker?.cores, worker?.memory, worker?.disk, worker?.tags]).toEqual([6, 7168, 80, ["a"]]);
});

test("with several hosts the CPU type allows migration", () => {
  expect(nodes(changed({ "hosts: [pve1]": "hosts: [pve1, pve2]" }))[0]?.cpu).toBe("x86-64-v2-AES");
});

test("host is short for hosts with one item", () => {
  expect(load(changed({ "hosts: [pve1]": "host: pve1" })).config.proxmox.hosts).toEqual(["pve1"]);
});

test("a node can have its own bridge, VLAN, MAC and storage", () => {
  const config = changed({
    "ip: 10.10.0.11": "ip: 10.10.0.11\n    bridge: vmbr1\n    vlan: 30\n    mac: bc:24:11:0a:0b:0c\n    storage: { disks: ceph }",
  });
  const [node] = nodes(config);
  expect({ bridge: node?.bridge, vlan: node?.vlan, mac: node?.mac, storage: node?.storage }).toEqual({
    bridge: "vmbr1",
    vlan: 30,
    mac: "BC:24:11:0A:0B:0C",
    storage: "ceph",
  });
});

test("without workers, workloads run on control planes", () => {
  const config = changed({ "  - { name: worker, role: worker, count: 2, ip: 10.10.0.21 }\n": "" });
  expect(load(config).config.cluster.scheduleOnControlPlanes).toBe(true);
});

test("addresses are normalised", () => {
  const config = changed({
    "192.168.122.70:8006": "192.168.122.70:8006/",
    "proxmox:\n": "image: { factory: https://factory.example/ }\nproxmox:\n",
  });
  expect([load(config).config.proxmox.url, load(config).config.image.factory]).toEqual([
    "https://192.168.122.70:8006",
    "https://factory.example",
  ]);
});

test("the certificate is checked by fingerprint, by a file with the authority, or the system's", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const tls = /tls: .*/.exec(GOOD)?.[0] ?? "";
  const tlsOf = (to: string) => load(changed({ [tls]: to }), { files: { "ca.pem": pem } }).config.proxmox.tls;
  expect(tlsOf(`tls: { fingerprint: "${"0a:".repeat(31)}0b" }`)).toEqual({
    by: "fingerprint",
    fingerprint: `${"0A:".repeat(31)}0B`,
  });
  expect(tlsOf("tls: { ca: ca.pem }")).toEqual({ by: "ca", pem });
  expect(tlsOf(`tls: { ca: "\${file:ca.pem}" }`)).toEqual({ by: "ca", pem: pem.trim() });
  expect(tlsOf("tls: system")).toEqual({ by: "system" });
  expect(problems(changed({ [tls]: "tls: { ca: gone.pem }" }))).toEqual([
    "11:14 proxmox.tls.ca names a file that does not exist",
  ]);
});

test("Windows line ends change nothing", () => {
  expect(load(GOOD.replaceAll("\n", "\r\n")).config.nodes).toEqual(load(GOOD).config.nodes);
});

test("anchors and aliases can be used", () => {
  const config = changed({
    "    ip: 10.10.0.11": "    ip: 10.10.0.11\n    memory: &m 6GiB",
    "count: 2,": "count: 2, memory: *m,",
  });
  expect(nodes(config).map(({ memory }) => memory)).toEqual([6144, 6144, 6144]);
});

test("a folder without a config file gets a hint to the example", () => {
  const error = failure("", { files: { "config.yaml": undefined as unknown as string } });
  expect(error.report()).toMatchObject({
    kind: "user",
    code: "CONFIG_INVALID",
    message: "environments/homelab/config.yaml has 1 problem",
    problems: [
      {
        code: "CONFIG_FILE",
        message: "environments/homelab/config.yaml does not exist",
        hint: "create it from the example: environments/proxmox-example/config.yaml explains every key",
        where: { file: "environments/homelab/config.yaml", line: 1, column: 1 },
      },
    ],
  });
});

test("warns about settings that work but cause trouble", () => {
  const config = changed({
    "${env:PROXMOX_TOKEN}": "root@pam!x=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e",
    ":8006": "",
    "talos: v1.13.9": "talos: v1.14.0-rc.1",
    "gateway: 10.10.0.1": "gateway: 10.10.0.1\n  nameservers: [10.10.0.21]",
    "role: controlplane": "role: controlplane\n    count: 2\n    cores: 2\n    memory: 3GiB",
  });
  expect(warnings(config)).toEqual([
    "5:10 cluster.talos v1.14.0-rc.1 is a pre-release",
    "9:17 network.nameservers names worker-1, a node of this cluster",
    "11:8 proxmox.url has no port, which means 443",
    "13:10 proxmox.token is stored in plain text in this file",
    "13:10 proxmox.token belongs to root@pam",
    "15:1 2 control planes survive no more failures than 1",
    "19:12 nodes[0].cores is less than is recommended for a control plane",
    "20:13 nodes[0].memory is less than is recommended for a control plane",
  ]);
});
