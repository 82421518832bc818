import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { changed, loadFolder } from "../../../config/testing/config-in-memory.ts";
import type { ConfigOnVps } from "./config-on-vps.ts";

const SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** A flat config of an existing project, with its blanks filled in, and what it lacks. */
const FLAT = `platform: vps

# Talos + cluster (no VIP on VPS)
talos_version: v1.12.4
talos_schematic_id: ${SCHEMATIC}
cluster_name: fluodata

# Network + nodes (public IPs)
vm_gateway: 203.0.113.1
controlplane_nodes:
  - name: node-0
    ip: 203.0.113.11
worker_nodes: []
cilium_version: "1.17.3"
admin_networks: 198.51.100.7/32
`;

const loadFlat = (changes: Record<string, string>) => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n";
  const loaded = loadFolder({ files: { "config.yml": changed(changes, FLAT), id: key } });
  return { ...loaded, config: loaded.config as ConfigOnVps };
};

function problems(changes: Record<string, string>): string[] {
  try {
    loadFlat(changes);
  } catch (error) {
    return asTalosmithError(error).problems.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);
  }
  throw new Error("the config was expected to be refused");
}

test("FluoData's file for rented servers is converted to this config", () => {
  const { config, warnings } = loadFlat({});
  expect(config.cluster).toMatchObject({
    name: "fluodata",
    endpoint: "203.0.113.11",
    cni: "cilium",
    scheduleOnControlPlanes: true,
  });
  expect(config.nodes).toMatchObject([
    {
      name: "node-0",
      role: "controlplane",
      ip: "203.0.113.11",
      prefix: 24,
      gateway: "203.0.113.1",
      image: { schematic: SCHEMATIC },
    },
  ]);
  expect([config.network.nameservers, config.firewall?.admin]).toEqual([["203.0.113.1"], ["198.51.100.7/32"]]);
  expect(warnings.map(({ where, message }) => `${where?.line} ${message}`)).toContain(
    "9 vm_nameservers is not set, so nodes use their gateway 203.0.113.1 as DNS server, which rarely works at providers",
  );
});

test("login, network and provider also have flat keys", () => {
  const more = [
    "vps_ssh_user: rescue\nvps_ssh_port: 2222\nvps_ssh_key: id\nvps_ssh_host_key: first\nvps_provider: ovh",
    "cluster_endpoint: k8s.example.com\nvm_cidr: 203.0.113.0/26\nvm_nameservers: [9.9.9.9, 1.1.1.1]\n",
  ].join("\n");
  const { config } = loadFlat({ "admin_networks: 198.51.100.7/32\n": `admin_networks: [198.51.100.7/32]\n${more}` });
  const [node] = config.nodes;
  expect(node?.ssh).toMatchObject({ host: "203.0.113.11", port: 2222, user: "rescue", firstKey: true });
  expect([node?.prefix, config.vps.provider?.name, config.cluster.endpoint, config.network.nameservers.length]).toEqual([
    26,
    "ovh",
    "k8s.example.com",
    2,
  ]);
});

test("a server may have its own prefix length and gateway, and then none is needed for all", () => {
  const { config } = loadFlat({
    "vm_gateway: 203.0.113.1\n": "vm_nameservers: 9.9.9.9\n",
    "ip: 203.0.113.11": "ip: 203.0.113.11/32\n    gateway: 172.31.1.1",
  });
  expect(config.nodes[0]).toMatchObject({ prefix: 32, gateway: "172.31.1.1" });
  expect(config.cluster.endpoint).toBe("203.0.113.11");
});

test("FluoData's template is refused only for its placeholders", () => {
  expect(
    problems({
      "vm_gateway: 203.0.113.1": "vm_gateway: REPLACE_WITH_GATEWAY",
      "ip: 203.0.113.11": "ip: REPLACE_WITH_PUBLIC_IP",
      [SCHEMATIC]: "e187c9b...",
    }),
  ).toEqual([
    "5:21 talos_schematic_id is only the beginning of a schematic id",
    "9:13 vm_gateway still contains a placeholder",
    "12:9 controlplane_nodes[0].ip still contains a placeholder",
  ]);
});

test.each<[string, Record<string, string>, string[]]>([
  ["no admin networks", { "admin_networks: 198.51.100.7/32\n": "" }, ["1:1 admin_networks is missing"]],
  [
    "a virtual IP",
    { "cluster_name:": "cluster_vip: 203.0.113.5\ncluster_name:" },
    ["6:1 cluster_vip is for platform proxmox, but platform is vps"],
  ],
  [
    "a Proxmox",
    { "cluster_name:": "proxmox_node: pve\ncluster_name:" },
    ["6:1 proxmox_node is for platform proxmox, but platform is vps"],
  ],
  [
    "an address elsewhere",
    { "ip: 203.0.113.11": "ip: 192.0.2.1" },
    ["12:9 controlplane_nodes[0].ip has no prefix length and is outside vm_cidr"],
  ],
  [
    "no gateway",
    { "vm_gateway: 203.0.113.1": "vm_nameservers: 9.9.9.9", "ip: 203.0.113.11": "ip: 203.0.113.11/24" },
    ["11:5 controlplane_nodes[0].gateway is missing"],
  ],
  ["a misspelt key", { "admin_networks:": "admin_network:" }, ["15:1 admin_network is not a known key"]],
])("%s is reported once, with the keys and at the place of the flat file", (_, changes, expected) => {
  expect(problems(changes)).toEqual(expected);
});

test("keys of rented servers are refused on Proxmox", () => {
  expect(problems({ "platform: vps": "platform: proxmox", "cluster_name:": "vps_ssh_user: root\ncluster_name:" })).toContain(
    "6:1 vps_ssh_user is for platform vps, but platform is proxmox",
  );
});
