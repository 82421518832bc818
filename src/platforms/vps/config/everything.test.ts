import { expect, test } from "vitest";
import type { ConfigPath } from "../../../config/config.ts";
import { loadVps } from "../../../config/testing/config-in-memory.ts";
import type { VpsNodeConfig } from "./config-on-vps.ts";
import { EVERYTHING_ON_VPS, EVERYTHING_ON_VPS_BESIDE, PUBLIC_KEY } from "./testing/everything.ts";

const { config, warnings, where } = loadVps(EVERYTHING_ON_VPS, EVERYTHING_ON_VPS_BESIDE);
const [cp, alone, bonded, leased, second] = config.nodes as [
  VpsNodeConfig,
  VpsNodeConfig,
  VpsNodeConfig,
  VpsNodeConfig,
  VpsNodeConfig,
];

test("a file with every key has no warnings", () => {
  expect(warnings).toEqual([]);
});

test("the nodes have no network in common, only what is the same in theirs", () => {
  expect(config.network).toEqual({
    nameservers: ["9.9.9.9", "2620:fe::fe"],
    via: "direct",
    second: { prefix: 64, gateway: "fe80::1" },
    timeServers: [],
  });
});

test("nodes in different networks use KubeSpan and have no virtual IP", () => {
  expect(config.cluster).toMatchObject({ kubespan: true, endpoint: "k8s.example.com" });
  expect(config.cluster).not.toHaveProperty("vip");
});

test("the provider's token is a secret, and its address has no slash at its end", () => {
  const { provider } = config.vps;
  expect([provider?.name, provider?.url, provider?.token?.reveal()]).toEqual([
    "hetzner",
    "https://cloud.example.com/v1",
    EVERYTHING_ON_VPS_BESIDE.env.HCLOUD_TOKEN,
  ]);
  expect(JSON.stringify(config)).not.toContain(EVERYTHING_ON_VPS_BESIDE.env.HCLOUD_TOKEN);
});

test("an address has its own prefix length, or that of the network it is in; the gateway may be outside", () => {
  const shown = ({ ip, secondIp, prefix, gateway, onlyCard, mac }: VpsNodeConfig) =>
    [ip, secondIp, prefix, gateway, onlyCard, mac].join(" ");
  expect(config.nodes.map(shown)).toEqual([
    "203.0.113.11 2001:db8::11 24 203.0.113.1 true ",
    "192.0.2.9 2001:db8:9::9 32 172.31.1.1  BC:24:11:00:00:09",
    "192.0.2.129 2001:db8:129::129 25 192.0.2.254  ",
    "198.51.100.21 2001:db8:21::21 32   ",
    "198.51.100.22 2001:db8:21::22 32   ",
  ]);
  expect([cp.tag, alone.nics[0]?.ip, bonded.bond?.macs.length]).toEqual([20, ["10.20.0.11/24"], 2]);
});

test("each key of the login comes from the most specific place that sets it", () => {
  const shown = ({ ssh: { host, port, user, key, hostKey, firstKey } }: VpsNodeConfig) => [
    `${user}@${host}:${port}`,
    key?.reveal().split("\n")[1],
    hostKey?.length,
    firstKey,
  ];
  expect([cp, alone, leased, second].map(shown)).toEqual([
    ["root@203.0.113.11:2222", "everybody", 50, false],
    ["root@rescue.example.com:22", "everybody", 50, false],
    ["root@198.51.100.21:2222", "workers", 50, false],
    ["root@198.51.100.22:2222", "workers", 50, false],
  ]);
});

test("the disk to overwrite is the configured one, or the only one", () => {
  expect([cp.installDisk, bonded.installDisk, alone.installDisk]).toEqual([
    { serial: "VPS-0001", type: "nvme" },
    "/dev/nvme0n1",
    undefined,
  ]);
  expect([cp.eraseMembers, leased.eraseMembers, cp.server, alone.server, cp.arch]).toEqual([
    true,
    false,
    "1234567",
    undefined,
    "arm64",
  ]);
});

test("Talos reads its config from the disk, unless another talos.config is set", () => {
  expect(config.image.talosPlatform).toBe("metal");
  expect(cp.image.kernelArgs).toEqual(["console=ttyS0", "talos.config=metal-iso"]);
  expect(leased.image.kernelArgs).toEqual(["console=ttyS0", "talos.config=https://config.example.com/node"]);
});

test("the firewall and WireGuard have the values of the file", () => {
  expect(config.firewall).toEqual({
    admin: ["198.51.100.0/24", "2001:db8:ffff::/48"],
    open: [{ name: "ingress", ports: ["443"], protocol: "tcp", from: ["0.0.0.0/0", "::/0"], on: "worker" }],
  });
  expect(config.wireguard).toEqual({
    cidr: "10.250.0.0/24",
    port: 51_900,
    peers: [{ name: "laptop", publicKey: PUBLIC_KEY, ip: "10.250.0.100" }],
  });
});

/** The line of a place, and what it begins with. */
function at(path: ConfigPath): string {
  const { line = 1, column = 1 } = where(path) ?? {};
  return `${EVERYTHING_ON_VPS.split("\n")[line - 1]?.slice(column - 1, column + 15)}`;
}

test.each<[ConfigPath, string]>([
  [["nodes", "cp", "installDisk"], "{ serial: VPS-00"],
  [["nodes", "cp", "installDisk", "serial"], "VPS-0001, type: "],
  [["nodes", "alone", "prefix"], '[192.0.2.9/32, "'],
  [["nodes", "bonded", "prefix"], "25"],
  [["nodes", "alone", "gateway"], "172.31.1.1"],
  [["nodes", "cp", "gateway"], '[203.0.113.1, "f'],
  [["nodes", "cp", "ssh", "user"], "root }"],
  [["nodes", "cp", "ssh", "key"], 'id, hostKey: "SH'],
  [["nodes", "leased-2", "ssh", "key"], "worker-id }"],
  [["nodes", "cp", "ssh", "firstKey"], '"SHA256:CQkJCQkJ'],
  [["nodes", "cp", "ssh", "host"], '[203.0.113.11, "'],
  [["nodes", "cp", "arch"], "arm64"],
  [["nodes", "leased-1", "eraseMembers"], "false"],
  [["vps", "provider", "token"], `\${env:HCLOUD_TOK`],
  [["firewall", "admin"], "[198.51.100.0/24"],
  [["wireguard", "peers", 0, "ip"], "10.250.0.100 }"],
])("%j is at %s in the file", (path, expected) => {
  expect(at(path)).toBe(expected);
});
