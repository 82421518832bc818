import { expect, test } from "vitest";
import { changed, GOOD, loadVps, METAL, problems, VPS } from "../../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../../config/testing/told-alone.ts";

const CP = "    ip: 203.0.113.11\n";
const NETWORK = "  cidr: 203.0.113.0/24\n  gateway: 203.0.113.1\n";
const onCp = (text: string) => ({ [CP]: `${CP}    ${text}\n` });
const vps = (text: string) => ({ "firewall:": `vps: ${text}\nfirewall:` });
const KEY = '"SHA256:Tm90aGluZyBpcyBiZWhpbmQgdGhpcyBvbmUsIG5vLjE"';

const addresses: Case[] = [
  [
    "an address without a prefix length",
    { "  cidr: 203.0.113.0/24\n": "", "ip: 203.0.113.21": "ip: 203.0.113.21/24" },
    "14:9",
    "nodes[0].ip has no prefix length",
    "write it as the provider shows it, such as 203.0.113.11/24, or /32 for a single address; or set dhcp: true when its network assigns it",
  ],
  [
    "an address outside of the common network",
    { "ip: 203.0.113.11": "ip: 192.0.2.9", "endpoint: 203.0.113.11": "endpoint: 192.0.2.9" },
    "15:9",
    "nodes[0].ip has no prefix length and is outside network.cidr",
    "write it as the provider shows it, such as 192.0.2.9/24, or /32 for a single address; or set dhcp: true when its network assigns it",
  ],
  [
    "a prefix length that is said twice",
    { [CP]: "    ip: 203.0.113.11/24\n    prefix: 24\n" },
    "16:5",
    "nodes[0].prefix repeats the prefix length of nodes[0].ip",
    "remove it, or remove the prefix length after the address",
  ],
  [
    "a prefix length of the other family",
    onCp("prefix: 64"),
    "16:13",
    "nodes[0].prefix 64 is longer than an IPv4 address",
    "use at most 32",
  ],
  [
    "an address that is its network's own",
    { "203.0.113.21": "203.0.114.0/24" },
    "16:49",
    "nodes[1].ip is the network's own address, which no machine can have",
    "check the address and its prefix length: 203.0.114.0/24 is the network",
  ],
  [
    "a gateway that is the broadcast address",
    { "gateway: 203.0.113.1": "gateway: 203.0.113.255" },
    "8:12",
    "network.gateway is the network's broadcast address, which no machine can have",
    "choose an address from 203.0.113.1 to 203.0.113.254",
  ],
  [
    "a pool that leaves its network",
    { "203.0.113.21": "192.0.2.14/28" },
    "16:49",
    "nodes[1].ip leaves no room in 192.0.2.0/28 for 2 nodes",
    "write the servers one by one, each with its address",
  ],
  [
    "no way out",
    { "  gateway: 203.0.113.1\n": "", "ip: 203.0.113.21": "ip: 203.0.113.21, gateway: 203.0.113.1" },
    "12:5",
    "nodes[0].gateway is missing",
    "add to this entry the gateway that the provider shows, which may be outside the node's network:\ngateway: 203.0.113.1\nor set network.gateway for all nodes, or dhcp: true when its network assigns it",
  ],
  [
    "a gateway of the other family",
    onCp('gateway: "fe80::1"'),
    "16:14",
    "nodes[0].gateway is IPv6, but the nodes' first network is IPv4",
    "write an IPv4 address",
  ],
  [
    "a gateway that is the node itself",
    onCp("gateway: 203.0.113.11"),
    "16:14",
    "nodes[0].gateway is the node's own address",
    "write the gateway's address",
  ],
  [
    "no nameservers where nodes have gateways of their own",
    {
      [`${NETWORK}  nameservers: [9.9.9.9]\n`]: "  cidr: 203.0.113.0/24\n",
      "nodes:": "defaults: { all: { gateway: 203.0.113.1 } }\nnodes:",
    },
    "6:1",
    "network.nameservers is missing",
    "add the provider's DNS servers, or others, under network:\nnameservers: [9.9.9.9, 1.1.1.1]",
  ],
  [
    "a card for a node that its network tells everything",
    onCp('dhcp: true\n    mac: "BC:24:11:00:00:11"'),
    "17:5",
    "nodes[0].mac has no effect on a node with dhcp: true (line 16), which gets its network settings by DHCP",
    "remove it, or dhcp",
  ],
  [
    "several cards of which none is the first",
    onCp('nics: [{ mac: "BC:24:11:00:00:12", ip: 10.20.0.11/24 }]'),
    "13:5",
    "nodes[0].mac is missing: with nics it has several network cards",
    'add to this entry the card that has this address:\nmac: "BC:24:11:00:00:11"',
  ],
  [
    "nodes of different families",
    { "ip: 203.0.113.21": 'ip: "2001:db8::21/64"' },
    "16:49",
    "nodes[1].ip is IPv6, but that of nodes[0] is IPv4",
    "write an IPv4 address, such as 203.0.113.11",
  ],
  [
    "two addresses of one family",
    { [CP]: "    ip: [203.0.113.11, 203.0.113.12]\n" },
    "15:24",
    "nodes[0].ip[1] is a second IPv4 address",
    "name one address, or one of each family; addresses of other cards go under nics",
  ],
  [
    "second addresses with different prefix lengths",
    { [CP]: '    ip: [203.0.113.11, "2001:db8::11/64"]\n', "ip: 203.0.113.21": 'ip: [203.0.113.21, "2001:db8::21/56"]' },
    "16:64",
    "nodes[1].ip[1] has the prefix length 56, but that of nodes[0] is 64",
    "write the same for all nodes: only that of the first address may differ",
  ],
  [
    "a common gateway that no node can use",
    { "gateway: 203.0.113.1": 'gateway: [203.0.113.1, "fe80::1"]' },
    "8:26",
    "network.gateway[1] is IPv6, but no node has an IPv6 address",
    "write one that is IPv4, or remove it",
  ],
];

const INSTEAD = "use the address of a control plane, a DNS name of the control planes, or a load balancer's address";
const endpoints: Case[] = [
  [
    "a virtual IP",
    { "  talos:": "  vip: 203.0.113.5\n  talos:" },
    "5:3",
    "cluster.vip is not possible: no address floats between rented servers",
    `remove it, and set cluster.endpoint: ${INSTEAD}`,
  ],
  [
    "an endpoint that would float",
    { "endpoint: 203.0.113.11": "endpoint: 203.0.113.5" },
    "4:13",
    "cluster.endpoint is an address of network.cidr that no node has, and no address floats between rented servers",
    `${INSTEAD}; for a load balancer inside that network, remove network.cidr and write the nodes' addresses with their prefix length`,
  ],
  [
    "a worker as the endpoint",
    { "endpoint: 203.0.113.11": "endpoint: 203.0.113.22" },
    "4:13",
    "cluster.endpoint is the address of worker-2, a worker",
    INSTEAD,
  ],
];

const servers: Case[] = [
  [
    "no word about who may reach the nodes",
    { "firewall:\n  admin: [198.51.100.0/24]\n": "" },
    "1:1",
    "firewall.admin is missing",
    `add the networks you work from:\nfirewall:\n  admin: [198.51.100.7/32]\nthis prints your own address as a server sees it:\nssh root@203.0.113.11 'echo \${SSH_CONNECTION%% *}'\nor let anyone reach the APIs with firewall: { enabled: false }`,
  ],
  [
    "two nodes that are logged in to at one place",
    { "nodes:": "defaults: { worker: { ssh: { host: rescue.example.com } } }\nnodes:" },
    "12:36",
    "defaults.worker.ssh.host makes worker-2 use rescue.example.com port 22, which is worker-1",
    "give each server its own host or port, or remove host to log in at the node's address",
  ],
  [
    "a node that is logged in to at another one's address",
    onCp("ssh: { host: 203.0.113.22 }"),
    "17:49",
    "nodes[1].ip makes worker-2 use 203.0.113.22 port 22, which is cp",
    "give each server its own host or port, or remove host to log in at the node's address",
  ],
  [
    "one server for several nodes",
    { "count: 2,": "count: 2, server: big," },
    "16:53",
    "nodes[1].server is one server for 2 nodes",
    "write the nodes one by one, or remove it: servers are found by their addresses",
  ],
  [
    "a host key that is none",
    onCp("ssh: { hostKey: abc }"),
    "16:21",
    "nodes[0].ssh.hostKey is not an SSH host key",
    "use the output of this command, in quotes:\nssh-keyscan HOST 2>/dev/null | ssh-keygen -lf - | awk '{ print $2 }'\nor write first, to trust whichever key the server presents",
  ],
  [
    "a key file that is not there",
    vps("{ ssh: { key: gone } }"),
    "10:20",
    "vps.ssh.key names a file that does not exist",
    "name a private key such as ~/.ssh/id_ed25519 (not the .pub file), or remove key to use the SSH agent and the usual files",
  ],
  ["an unknown provider", vps("{ provider: hetzer }"), "10:18", "vps.provider is not valid", "did you mean hetzner?"],
  [
    "a token for an API that is not used",
    vps("{ provider: { name: ovh, token: abc } }"),
    "10:31",
    "vps.provider.token is set, but talosmith does not use an API of ovh",
    "remove it; talosmith doctor ENVIRONMENT prints the steps and rules for this provider",
  ],
  [
    "a machine to be made",
    onCp("cores: 4"),
    "16:5",
    "nodes[0].cores describes a machine to create, but platform vps creates none",
    "remove it: the machine exists already",
  ],
  [
    "a section of another platform",
    { "nodes:": "proxmox: { anything: at all }\nnodes:" },
    "12:1",
    "proxmox is set, but platform is vps",
    "remove the section, or set platform: proxmox",
  ],
  [
    "an addon of another platform",
    { "nodes:": `addons: { proxmoxCsi: { token: "\${env:TOKEN}", classes: [{ name: a, storage: local }] } }\nnodes:` },
    "12:11",
    "addons.proxmoxCsi is for platform: proxmox",
    "remove it: this config has no Proxmox",
  ],
  [
    "a way to the nodes that does not say through whom",
    { "  nameservers:": "  via: ssh\n  nameservers:" },
    "9:3",
    "network.ssh.host is missing",
    "add under network:\nssh: { host: 192.168.122.70 }",
  ],
];

toldAlone(addresses, VPS);
toldAlone(endpoints, VPS);
toldAlone(servers, VPS, { env: { TOKEN: "csi@pve!csi=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e" } });

test.each([
  ["proxmox", GOOD],
  ["metal", METAL],
])("on %s keys of rented servers are refused, and network keys are required", (platform, config) => {
  const onNode = (text: string) => problems(changed({ "    ip: 10.10.0.11": `    ip: 10.10.0.11\n    ${text}` }, config));
  const line = platform === "proxmox" ? 18 : 13;
  for (const text of ["ssh: { nothing: known }", "dhcp: true", "eraseMembers: true", "prefix: 24", "server: a"])
    expect(onNode(text)).toEqual([`${line}:5 nodes[0].${text.split(":")[0]} is for platform vps only`]);
  expect(problems(`${config}vps: { nothing: known }\n`)).toEqual([
    `${config.split("\n").length}:1 vps is set, but platform is ${platform}`,
  ]);
  expect(problems(changed({ "ip: 10.10.0.11": "ip: 10.10.0.11/24" }, config))).toEqual([
    `${line - 1}:9 nodes[0].ip must be an address without a prefix length`,
  ]);
  expect(problems(changed({ "  cidr: 10.10.0.0/24\n  gateway: 10.10.0.1\n": "  mtu: 1500\n" }, config))).toEqual([
    "6:1 network.cidr is missing",
    "6:1 network.gateway is missing",
  ]);
  expect(problems(`${config}firewall: {}\n`)).toEqual([`${config.split("\n").length}:1 firewall.admin is missing`]);
});

test("warns about settings that give strangers access", () => {
  const warnings = (changes: Record<string, string>) =>
    loadVps(changed(changes, VPS)).warnings.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);
  expect(warnings({})).toEqual([]);
  expect(warnings({ "admin: [198.51.100.0/24]": "enabled: false" })).toEqual([
    "11:12 firewall.enabled is false: anyone on the Internet can reach the Talos and Kubernetes APIs, etcd and kubelets",
  ]);
  expect(warnings({ "198.51.100.0/24": "0.0.0.0/0" })).toEqual([
    "11:11 firewall.admin[0] lets anyone reach the Talos and Kubernetes APIs",
  ]);
  expect(warnings({ "  nameservers: [9.9.9.9]\n": "" })).toEqual([
    "8:12 network.nameservers is not set, so nodes use their gateway 203.0.113.1 as DNS server, which rarely works at providers",
  ]);
  expect(warnings(vps("{ provider: { name: hetzner, token: abc } }"))).toEqual([
    "10:42 vps.provider.token is stored in plain text in this file",
  ]);
  expect(warnings(vps("{ ssh: { hostKey: first } }"))).toEqual([
    "10:24 vps.ssh.hostKey is first: talosmith trusts whatever answers at the server's address the first time, even an attacker in between, and sends it all secrets of the cluster",
  ]);
  // Nobody uses it.
  const pinned = { ...vps("{ ssh: { hostKey: first } }"), "nodes:": `defaults: { all: { ssh: { hostKey: ${KEY} } } }\nnodes:` };
  expect(warnings(pinned)).toEqual([]);
});

test("a host key is pinned, or the first one, or left to known_hosts", () => {
  const keys = (text: string) => {
    const { hostKey, firstKey } = loadVps(changed(onCp(text), VPS)).config.nodes[0]?.ssh ?? {};
    return [hostKey === undefined ? undefined : `"${hostKey}"`, firstKey];
  };
  expect(keys(`ssh: { hostKey: ${KEY} }`)).toEqual([KEY, false]);
  expect(keys("ssh: { hostKey: first }")).toEqual([undefined, true]);
  expect(keys("ssh: { port: 2222 }")).toEqual([undefined, false]);
});

test("KubeSpan connects nodes in different networks, unless it is off or impossible", () => {
  const kubespan = (changes: Record<string, string>) => loadVps(changed(changes, VPS)).config.cluster.kubespan;
  const apart = { "ip: 203.0.113.21": "ip: 192.0.2.21/24, gateway: 192.0.2.1" };
  expect(kubespan({})).toBe(false);
  expect(kubespan(apart)).toBe(true);
  expect(kubespan({ "ip: 203.0.113.21": "ip: 203.0.113.21/32" })).toBe(true);
  expect(kubespan({ ...apart, "  talos:": "  kubespan: false\n  talos:" })).toBe(false);
  expect(kubespan({ ...apart, "  talos:": "  discovery: false\n  talos:" })).toBe(false);
});

test("nodes with DHCP need no network settings", () => {
  const text = changed(
    { [`${NETWORK}  nameservers: [9.9.9.9]\n`]: "  mtu: 1400\n", "nodes:": "defaults: { all: { dhcp: true } }\nnodes:" },
    VPS,
  );
  const { config, warnings } = loadVps(text);
  expect([warnings, config.network.nameservers]).toEqual([[], []]);
  for (const node of config.nodes) expect([node.gateway, node.onlyCard, node.mac]).toEqual([undefined, undefined, undefined]);
});

test("nodes with DHCP and addresses of both families need no network settings", () => {
  const both = {
    "    ip: 203.0.113.11\n": '    ip: [203.0.113.11, "2001:db8::11"]\n',
    "ip: 203.0.113.21": 'ip: [203.0.113.21, "2001:db8::21"]',
    "nodes:": "defaults: { all: { dhcp: true } }\nnodes:",
  };
  expect(loadVps(changed(both, VPS)).config.nodes[2]).toMatchObject({ ip: "203.0.113.22", secondIp: "2001:db8::22" });
});

test("warns about service addresses that a provider would not deliver", () => {
  const addons = "addons: { cilium: { version: 1.20.1, loadBalancer: { addresses: [203.0.113.240-203.0.113.250] } } }\nnodes:";
  const text = changed({ "nodes:": addons, "  talos:": "  cni: cilium\n  kubernetes: v1.36.3\n  talos:" }, VPS);
  expect(loadVps(text).warnings.map(({ message }) => message)).toEqual([
    "addons.cilium.loadBalancer.addresses[0] is announced in a provider's network, which delivers only the addresses that the provider assigned to each server",
  ]);
});

test("with a pinned schematic no kernel argument is added", () => {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  const { config } = loadVps(changed({ "nodes:": `image: { schematic: ${schematic} }\nnodes:` }, VPS));
  expect(config.nodes[0]?.image).toEqual({ extensions: [], kernelArgs: [], schematic });
});

test("a provider may be only its name", () => {
  const provider = (text: string) => loadVps(changed(vps(`{ provider: ${text} }`), VPS)).config.vps.provider;
  expect(provider("hetzner")).toEqual({ name: "hetzner", url: "https://api.hetzner.cloud/v1" });
  expect(provider("{ name: netcup }")).toEqual({ name: "netcup", url: "" });
});

test("pod networks must not overlap the servers' networks", () => {
  expect(problems(changed({ "  talos:": "  podSubnets: [203.0.0.0/16]\n  talos:" }, VPS))).toEqual([
    "5:16 cluster.podSubnets[0] overlaps nodes[0].ip",
  ]);
});
