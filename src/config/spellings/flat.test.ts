import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import type { ConfigOnProxmox } from "../../platforms/proxmox/config/config-on-proxmox.ts";
import { changed, loadFolder, tokenOf } from "../testing/config-in-memory.ts";

const SECRET = "0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";
const SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** A flat config of an existing project, with its blanks filled in. */
const FLAT = `platform: proxmox

# Proxmox connection
proxmox_host: 192.168.122.70
proxmox_node: pve
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: \${env:SECRET}
proxmox_ssh_host: 192.168.122.70
proxmox_ssh_user: root

# Talos + cluster
talos_version: v1.12.4
talos_schematic_id: ${SCHEMATIC}
cluster_name: fluodata
cluster_vip: 10.10.0.5

# Network + nodes + Cilium
vm_gateway: 10.10.0.1
controlplane_nodes:
  - { name: cp-1, ip: 10.10.0.11, cores: 4, memory: 8192, disk: 40 }
worker_nodes:
  - name: worker-1
    ip: 10.10.0.21
    memory: 4096
    disk: 100G
cilium_version: "1.17.3"
`;

const trial = (text: string, name = "config.yml") => ({ files: { [name]: text }, env: { SECRET, GATEWAY: "10.20.0.1" } });
const loadFlat = (text: string) => loadFolder(trial(text));
const configOf = (changes: Record<string, string> = {}) => loadFlat(changed(changes, FLAT)).config as ConfigOnProxmox;

function failure(changes: Record<string, string>): TalosmithError {
  try {
    loadFlat(changed(changes, FLAT));
  } catch (error) {
    return asTalosmithError(error);
  }
  throw new Error("the config was expected to be refused");
}

const problems = (changes: Record<string, string>) =>
  failure(changes).problems.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);

test("FluoData's file is converted to this config", () => {
  const { proxmox, nodes, addons, maintenance, verify, ...rest } = configOf();
  expect(rest).toEqual({
    platform: "proxmox",
    cluster: {
      name: "fluodata",
      endpoint: "10.10.0.5",
      vip: "10.10.0.5",
      talos: "v1.12.4",
      kubernetes: "v1.35.0",
      contract: "v1.12",
      cni: "cilium",
      scheduleOnControlPlanes: false,
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
      dnsDomain: "cluster.local",
      certSANs: [],
      kubeletCertificates: false,
      externalCloudProvider: false,
      discovery: true,
      kubespan: false,
    },
    network: {
      cidr: "10.10.0.0/24",
      prefix: 24,
      gateway: "10.10.0.1",
      nameservers: ["10.10.0.1"],
      via: "ssh",
      ssh: { host: "192.168.122.70", port: 22, user: "root" },
      timeServers: [],
    },
    registries: [],
    backup: { recipients: [] },
    image: {
      talosPlatform: "nocloud",
      method: "import",
      clone: "full",
      factory: "https://factory.talos.dev",
      arch: "amd64",
      secureboot: false,
    },
  });
  expect(addons.all).toMatchObject([
    { name: "cilium", tier: "network", parts: [{ version: "1.17.3", repository: "https://helm.cilium.io" }] },
  ]);
  expect(verify.smoke).toBe(true);
  expect(maintenance).toEqual({ workers: 1 });
  expect([proxmox.url, proxmox.tls, proxmox.hosts, tokenOf({ proxmox } as ConfigOnProxmox)]).toEqual([
    "https://192.168.122.70:8006",
    { by: "system" },
    ["pve"],
    `root@pam!terraform=${SECRET}`,
  ]);
  expect(nodes.map(({ name, role, ip, cores, memory, disk }) => [name, role, ip, cores, memory, disk])).toEqual([
    ["cp-1", "controlplane", "10.10.0.11", 4, 8192, 40],
    ["worker-1", "worker", "10.10.0.21", 2, 4096, 100],
  ]);
  expect(nodes.map(({ image }) => image)).toEqual(Array(2).fill({ extensions: [], kernelArgs: [], schematic: SCHEMATIC }));
});

test("a node of a flat file may have every setting of a node", () => {
  const config = configOf({
    "disk: 100G": "disk: 100G\n    labels: { tier: general }\n    patches: [{ machine: { env: { A: b } } }]",
  });
  const worker = config.nodes.at(-1);
  expect([worker?.labels, worker?.patches.map(({ title }) => title)]).toEqual([
    { tier: "general" },
    ["worker_nodes[0].patches[0]"],
  ]);
});

test("flat keys also work in config.yaml", () => {
  expect(loadFolder(trial(FLAT, "config.yaml")).config.cluster.name).toBe("fluodata");
});

test("warns about a certificate that is not pinned; a pinned one is trusted by its fingerprint", () => {
  const warnings = (text: string) => loadFlat(text).warnings.map(({ where, message }) => `${where?.line} ${message}`);
  expect(warnings(FLAT)).toEqual([
    "4 proxmox_tls_fingerprint is not set, so only a certificate that this computer already trusts is accepted",
    "8 proxmox_api_token_secret belongs to root@pam",
    "27 Cilium 1.17 is tested with Kubernetes 1.29 to 1.32, not 1.35",
  ]);
  const fingerprint = `${"AB:".repeat(31)}AB`;
  const pinned = configOf({ "proxmox_node:": `proxmox_tls_fingerprint: "${fingerprint}"\nproxmox_node:` });
  expect(pinned.proxmox.tls).toEqual({ by: "fingerprint", fingerprint });
});

test("a plain-text secret causes a warning with its flat key, without showing it", () => {
  const redactor = new Redactor();
  const { warnings } = loadFolder(trial(changed({ "${env:SECRET}": SECRET }, FLAT)), redactor);
  expect(warnings.map(({ message }) => message)).toContain("proxmox_api_token_secret is stored in plain text in this file");
  expect(JSON.stringify(warnings)).not.toContain(SECRET);
  expect(redactor.text(`${SECRET} terraform`)).toBe("(secret) terraform");
});

test("the network is the gateway's /24, unless a netmask or the network itself is given", () => {
  const cidr = (changes: Record<string, string>) => configOf(changes).network.cidr;
  const gateway = "vm_gateway: 10.10.0.1";
  expect(cidr({ [gateway]: `${gateway}\nvm_netmask: 255.255.0.0` })).toBe("10.10.0.0/16");
  expect(cidr({ [gateway]: `${gateway}\nvm_netmask: 25` })).toBe("10.10.0.0/25");
  expect(cidr({ [gateway]: `${gateway}\nvm_cidr: 10.0.0.0/8` })).toBe("10.0.0.0/8");
  const other = {
    [gateway]: `vm_gateway: \${env:GATEWAY}`,
    "10.10.0.5": "10.20.0.5",
    "10.10.0.11": "10.20.0.11",
    "10.10.0.21": "10.20.0.21",
  };
  expect(cidr(other)).toBe("10.20.0.0/24");
});

test("nodes are reached directly without SSH keys", () => {
  const direct = { "proxmox_ssh_host: 192.168.122.70\nproxmox_ssh_user: root\n": "" };
  expect(configOf(direct).network.via).toBe("direct");
});

test("without workers, control planes run the workloads", () => {
  const text = `${FLAT.slice(0, FLAT.indexOf("worker_nodes:"))}worker_nodes: []\n`;
  expect(loadFlat(text).config.cluster).toMatchObject({ scheduleOnControlPlanes: true, cni: "flannel" });
});

test("platform metal has no flat keys", () => {
  expect(problems({ "platform: proxmox": "platform: metal" })).toEqual(["1:11 platform metal has no flat spelling"]);
});

test("a placeholder is reported once, by its key", () => {
  expect(
    problems({
      "${env:SECRET}": "REPLACE_ME",
      "vm_gateway: 10.10.0.1": "vm_gateway: REPLACE_WITH_GATEWAY",
      "ip: 10.10.0.21": "ip: REPLACE_WITH_PUBLIC_IP",
      [SCHEMATIC]: "e187c9b...",
    }),
  ).toEqual([
    "8:27 proxmox_api_token_secret still contains a placeholder",
    "14:21 talos_schematic_id is only the beginning of a schematic id",
    "19:13 vm_gateway still contains a placeholder",
    "24:9 worker_nodes[0].ip still contains a placeholder",
  ]);
  expect(failure({ "${env:SECRET}": "REPLACE_ME" }).problems[0]?.hint).toBe("replace REPLACE_ME with the real value");
});

test.each<[string, Record<string, string>, string[]]>([
  ["an unknown key", { "cluster_vip:": "cluster_vp:" }, ["16:1 cluster_vp is not a known key"]],
  ["a missing key", { "cluster_name: fluodata\n": "" }, ["1:1 cluster_name is missing"]],
  ["a missing half of the token", { "proxmox_api_token_id: terraform\n": "" }, ["1:1 proxmox_api_token_id is missing"]],
  ["a user without realm", { "root@pam": "root" }, ["6:19 proxmox_api_user is not a user with a realm"]],
  ["a missing host", { "proxmox_node: pve\n": "" }, ["1:1 proxmox_node is missing"]],
  ["an empty key", { "proxmox_node: pve": "proxmox_node:" }, ["5:1 proxmox_node is empty"]],
  ["a list for one value", { "proxmox_node: pve": "proxmox_node: [pve]" }, ["5:1 proxmox_node must be a single value"]],
  ["a version without v", { "v1.12.4": "1.12.4" }, ["13:16 talos_version is not a full version"]],
  ["an address outside", { "ip: 10.10.0.21": "ip: 10.11.0.21" }, ["24:9 worker_nodes[0].ip is outside vm_cidr"]],
  [
    "too little memory",
    { "memory: 8192": "memory: 512" },
    ["21:53 controlplane_nodes[0].memory is less than a control plane needs"],
  ],
  [
    "a VIP that is taken",
    { "cluster_vip: 10.10.0.5": "cluster_vip: 10.10.0.21" },
    ["16:14 cluster_vip is the address of worker-1, a worker"],
  ],
  [
    "two masks",
    { "vm_gateway:": "vm_netmask: 24\nvm_cidr: 10.10.0.0/24\nvm_gateway:" },
    ["19:1 vm_cidr and vm_netmask both set the prefix length"],
  ],
  ["an invalid netmask", { "vm_gateway:": "vm_netmask: 255.0.255.0\nvm_gateway:" }, ["19:13 vm_netmask is not a netmask"]],
  [
    "an IPv6 gateway alone",
    { "vm_gateway: 10.10.0.1": "vm_gateway: fd00:10::1" },
    ["19:13 vm_gateway is IPv6, but vm_cidr is missing"],
  ],
  ["a node's unknown key", { "cores: 4": "coers: 4" }, ["21:35 controlplane_nodes[0].coers is not a known key"]],
  ["a node without an address", { "    ip: 10.10.0.21\n": "" }, ["23:5 worker_nodes[0].ip is missing"]],
  [
    "nodes that are no list",
    { "worker_nodes:\n  - name: worker-1\n    ip": "worker_nodes:\n    name: worker-1\n    ip" },
    ["22:1 worker_nodes must be a list"],
  ],
  ["a reference to nothing", { "${env:SECRET}": `\${env:GONE}` }, ["8:27 environment variable GONE is not set"]],
  [
    "no control planes",
    {
      "  - { name: cp-1, ip: 10.10.0.11, cores: 4, memory: 8192, disk: 40 }\n": "",
      "controlplane_nodes:": "controlplane_nodes: []",
    },
    ["20:1 nodes has no control plane"],
  ],
])("%s is reported once, with the keys and at the place of the flat file", (_, changes, expected) => {
  expect(problems(changes)).toEqual(expected);
});

test("hints also use flat keys", () => {
  expect(failure({ "ip: 10.10.0.21": "ip: 10.11.0.21" }).problems[0]?.hint).toBe(
    "choose an address from 10.10.0.2 to 10.10.0.254, or widen vm_cidr (line 19)",
  );
});

test("the finished config can say where in the flat file a value is", () => {
  const { where } = loadFlat(FLAT);
  const at = (path: (string | number)[]) => `${where(path)?.file} ${where(path)?.line}:${where(path)?.column}`;
  expect(at(["nodes", "worker-1", "memory"])).toBe("environments/homelab/config.yml 25:13");
  expect(at(["network", "cidr"])).toBe("environments/homelab/config.yml 19:13");
  expect(at(["cluster", "endpoint"])).toBe("environments/homelab/config.yml 16:14");
});
