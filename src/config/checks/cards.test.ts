import { expect, test } from "vitest";
import { changed, failure, load, loadMetal, METAL } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

/** On the control plane of the good config for metal, from line 13 on. */
const onNode = (text: string) => ({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });
const MAC = 'mac: "BC:24:11:00:00:11"';
const bond = (text: string) => onNode(`bond: { macs: ["BC:24:11:00:00:11", "BC:24:11:00:00:12"], ${text} }`);
const nic = (text: string) => onNode(`nics: [{ ${text} }]`);

const cases: Case[] = [
  [
    "a VLAN on an unknown card",
    onNode("vlan: 10"),
    "13:5",
    "nodes[0].vlan needs mac or bond on nodes[0]",
    'add to the node:\nmac: "BC:24:11:00:00:11"\nor a bond; without them the node uses what its DHCP server assigns',
  ],
  [
    "a gateway for an unknown card",
    onNode("gateway: 10.10.0.2"),
    "13:5",
    "nodes[0].gateway needs mac or bond on nodes[0]",
    'add to the node:\nmac: "BC:24:11:00:00:11"\nor a bond; without them the node uses what its DHCP server assigns',
  ],
  [
    "a gateway of the other family",
    onNode(`${MAC}\n    gateway: fd00::1`),
    "14:14",
    "nodes[0].gateway is IPv6, but the nodes' first network is IPv4",
    "write an IPv4 address",
  ],
  [
    "a gateway that is the node itself",
    onNode(`${MAC}\n    gateway: 10.10.0.11`),
    "14:14",
    "nodes[0].gateway is the node's own address",
    "write the gateway's address",
  ],
  [
    "a gateway that is the network",
    onNode(`${MAC}\n    gateway: 10.10.0.0`),
    "14:14",
    "nodes[0].gateway is the network's own address, which no machine can have",
    "choose an address from 10.10.0.1 to 10.10.0.254",
  ],
  [
    "a bond beside a MAC",
    onNode(`${MAC}\n    bond: { mode: active-backup, macs: ["BC:24:11:00:00:12"] }`),
    "13:5",
    "nodes[0].mac and nodes[0].bond both set the node's network card",
    "remove mac: bond lists its own cards",
  ],
  [
    "a bond in an unknown mode",
    bond("mode: lacp-ad"),
    "13:69",
    "nodes[0].bond.mode must be active-backup, 802.3ad, balance-rr, balance-xor, broadcast, balance-tlb or balance-alb",
    "write active-backup, 802.3ad, balance-rr, balance-xor, broadcast, balance-tlb or balance-alb",
  ],
  [
    "a bond with LACP where there is none",
    bond("mode: active-backup, lacpRate: fast"),
    "13:84",
    "nodes[0].bond.lacpRate is only for mode 802.3ad",
    "remove it, or set mode: 802.3ad",
  ],
  [
    "a bond without cards",
    onNode("bond: { mode: active-backup, macs: [] }"),
    "13:40",
    "nodes[0].bond.macs is empty",
    "name the cards by their MAC addresses",
  ],
  [
    "a bond with a card twice",
    onNode('bond: { mode: active-backup, macs: ["BC:24:11:00:00:11", "bc:24:11:00:00:11"] }'),
    "13:40",
    "nodes[0].bond.macs contains BC:24:11:00:00:11 twice",
    "remove one of the two",
  ],
  [
    "a card without its MAC",
    nic("dhcp: true"),
    "13:12",
    "nodes[0].nics[0].mac is missing",
    'add to this entry:\nmac: "BC:24:11:00:00:12"',
  ],
  [
    "a card that is the node's own",
    onNode(`${MAC}\n    nics: [{ mac: "bc:24:11:00:00:11" }]`),
    "14:19",
    "nodes[0].nics[0].mac is the same as nodes[0].mac",
    "give one of the two another address, or remove it",
  ],
  [
    "an address without its prefix",
    nic('mac: "BC:24:11:00:00:12", ip: 10.20.0.11'),
    "13:44",
    "nodes[0].nics[0].ip is not an address with a prefix length",
    "write one such as 10.20.0.11/24",
  ],
  [
    "a route to everywhere",
    nic('mac: "BC:24:11:00:00:12", routes: [{ to: 0.0.0.0/0, via: 10.20.0.1 }]'),
    "13:55",
    "nodes[0].nics[0].routes[0].to is the default route, which belongs to the node's gateway",
    "write the network behind this card; gateway on the node sets the default route",
  ],
  [
    "a route of two families",
    nic('mac: "BC:24:11:00:00:12", routes: [{ to: 10.30.0.0/16, via: "fd00::1" }]'),
    "13:74",
    "nodes[0].nics[0].routes[0].via is IPv6, but the network it leads to is IPv4",
    "write a gateway of the same family",
  ],
  [
    "a VLAN twice",
    nic('mac: "BC:24:11:00:00:12", vlans: [{ id: 20 }, { id: 20 }]'),
    "13:66",
    "nodes[0].nics[0].vlans[1].id is the same as that of vlans[0]",
    "join the two: a VLAN may have several addresses",
  ],
  [
    "a VLAN that cannot be",
    nic('mac: "BC:24:11:00:00:12", vlans: [{ id: 4095 }]'),
    "13:54",
    "nodes[0].nics[0].vlans[0].id must be from 1 to 4094",
    "write a whole number such as 20",
  ],
  [
    "packets too small for a card's IPv6",
    nic('mac: "BC:24:11:00:00:12", ip: "fd00::2/64", mtu: 1000'),
    "13:63",
    "nodes[0].nics[0].mtu is less than IPv6 needs",
    "use at least 1280",
  ],
  [
    "cards for several nodes at once",
    { "count: 2,": 'count: 2, nics: [{ mac: "BC:24:11:00:00:12" }],' },
    "13:59",
    "nodes[1].nics[0].mac is one address for 2 nodes",
    "write the nodes one by one, each with its own",
  ],
  [
    "a bond for everybody",
    { "nodes:": 'defaults: { all: { bond: { mode: 802.3ad, macs: ["BC:24:11:00:00:12"] } } }\nnodes:', "count: 2, ": "" },
    "9:50",
    "defaults.all.bond.macs[0] is one address for several nodes",
    "write the nodes one by one, each with its own",
  ],
];

toldAlone(cases, METAL);

test("Proxmox's keys of a card are refused on metal", () => {
  const [problem] = failure(changed(nic('mac: "BC:24:11:00:00:12", bridge: vmbr1'), METAL)).problems;
  expect([problem?.code, problem?.message]).toEqual([
    "CONFIG_CONFLICT",
    "nodes[0].nics[0].bridge describes a network card to create, but platform metal creates none",
  ]);
});

test("a bond can carry a virtual IP", () => {
  const config = changed({ "endpoint: 10.10.0.11": "endpoint: 10.10.0.5", ...bond("mode: active-backup") }, METAL);
  expect(loadMetal(config).config.cluster.vip).toBe("10.10.0.5");
});

test("a gateway may be outside the network on metal, but not on Proxmox", () => {
  const { config } = loadMetal(changed(onNode(`${MAC}\n    gateway: 172.31.1.1`), METAL));
  expect(config.nodes[0]?.gateway).toBe("172.31.1.1");
  const [problem] = failure(changed(onNode("gateway: 172.31.1.1"))).problems;
  expect([problem?.message, problem?.hint]).toEqual([
    "nodes[0].gateway is outside network.cidr",
    "choose an address from 10.10.0.1 to 10.10.0.254: Proxmox sets up no gateway outside the network",
  ]);
  expect(load(changed(onNode("gateway: 10.10.0.2"))).config.nodes[0]?.gateway).toBe("10.10.0.2");
});

test("on Proxmox the bridge tags a VLAN, not the node", () => {
  const [node] = load(changed(onNode("vlan: 30"))).config.nodes;
  expect([node?.vlan, node?.tag]).toEqual([30, undefined]);
});

test("a bond is refused on Proxmox with one problem, whatever its values", () => {
  const found = failure(changed(onNode("bond: 7"))).problems.map(({ code, message }) => [code, message]);
  expect(found).toEqual([["CONFIG_CONFLICT", "nodes[0].bond is for platform metal or vps only"]]);
});

/** At line 18 and 14 of the good config. */
const pooled: Case[] = [
  [
    "one MAC for the cards of two nodes",
    { "count: 2,": 'count: 2, nics: [{ mac: "BC:24:11:00:00:12" }],' },
    "18:59",
    "nodes[1].nics[0].mac is one address for 2 nodes",
    "remove mac, so that each node gets its own, or write the nodes one by one",
  ],
  [
    "an address in the defaults that several nodes would get",
    { "nodes:": "defaults: { worker: { nics: [{ ip: 10.20.0.11/24 }] } }\nnodes:" },
    "14:36",
    "defaults.worker.nics[0].ip is one address for 2 nodes",
    "write nics on the entries of nodes, where addresses count up with count; or use dhcp: true",
  ],
  [
    "addresses of cards that run out of their network",
    { "count: 2,": "count: 2, nics: [{ ip: 10.20.0.254/24 }]," },
    "18:58",
    "nodes[1].nics[0].ip leaves no room in 10.20.0.0/24 for 2 nodes",
    "start lower, or reduce count",
  ],
];
toldAlone(pooled);

test("Proxmox hosts are amd64", () => {
  const [problem] = failure(changed({ "proxmox:\n": "image: { arch: arm64 }\nproxmox:\n" })).problems;
  expect([problem?.message, problem?.hint]).toEqual([
    "image.arch is arm64, but only amd64 is supported on Proxmox",
    "remove it; arm64 machines need platform: metal or vps",
  ]);
});
