import fc from "fast-check";
import { expect, test } from "vitest";
import { changed, load, loadMetal, METAL } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

/** The good config on metal, in both families. */
const BOTH = changed(
  {
    "cidr: 10.10.0.0/24": 'cidr: [10.10.0.0/24, "fd00:10::/64"]',
    "gateway: 10.10.0.1": 'gateway: [10.10.0.1, "fd00:10::1"]',
    "ip: 10.10.0.11": 'ip: [10.10.0.11, "fd00:10::11"]',
    "ip: 10.10.0.21": 'ip: [10.10.0.21, "fd00:10::21"]',
  },
  METAL,
);

const SIX = changed(
  {
    "endpoint: 10.10.0.11": "endpoint: fd00:10::11",
    "cidr: 10.10.0.0/24": "cidr: fd00:10::/64",
    "gateway: 10.10.0.1": "gateway: fd00:10::1",
    "ip: 10.10.0.11": "ip: fd00:10::11",
    "ip: 10.10.0.21": "ip: fd00:10::fffe",
  },
  METAL,
);

test("addresses of an IPv6 network count up", () => {
  const { config, warnings } = loadMetal(SIX);
  expect(warnings).toEqual([]);
  expect(config.network).toMatchObject({ cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1", nameservers: ["fd00:10::1"] });
  expect(config.nodes.map(({ ip }) => ip)).toEqual(["fd00:10::11", "fd00:10::fffe", "fd00:10::ffff"]);
  // machinery's constants: DefaultIPv6PodCIDR, DefaultIPv6ServiceCIDR.
  expect([config.cluster.podSubnets, config.cluster.serviceSubnets]).toEqual([["fc00:db8:10::/56"], ["fc00:db8:20::/112"]]);
});

test("an unused IPv6 address of the network is a VIP", () => {
  const config = changed(
    { "fd00:10::11\n  talos": "FD00:10::5\n  talos", "name: cp": 'name: cp\n    mac: "BC:24:11:00:00:11"' },
    SIX,
  );
  expect(loadMetal(config).config.cluster).toMatchObject({ endpoint: "fd00:10::5", vip: "fd00:10::5" });
});

test("with both families, every node has an address of each, and pods and services have networks of each", () => {
  const { config, warnings } = loadMetal(BOTH);
  expect(warnings).toEqual([]);
  expect(config.network.second).toEqual({ cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1" });
  expect(config.nodes.map(({ ip, secondIp }) => `${ip} ${secondIp}`)).toEqual([
    "10.10.0.11 fd00:10::11",
    "10.10.0.21 fd00:10::21",
    "10.10.0.22 fd00:10::22",
  ]);
  expect(config.cluster.podSubnets).toEqual(["10.244.0.0/16", "fc00:db8:10::/56"]);
  expect(config.cluster.serviceSubnets).toEqual(["10.96.0.0/12", "fc00:db8:20::/112"]);
});

test("the second family needs no gateway, and gateways may be in any order", () => {
  expect(loadMetal(changed({ 'gateway: [10.10.0.1, "fd00:10::1"]': "gateway: 10.10.0.1" }, BOTH)).config.network.second).toEqual({
    cidr: "fd00:10::/64",
    prefix: 64,
  });
  const turned = loadMetal(changed({ 'gateway: [10.10.0.1, "fd00:10::1"]': 'gateway: ["fd00:10::1", 10.10.0.1]' }, BOTH)).config;
  expect([turned.network.gateway, turned.network.second?.gateway]).toEqual(["10.10.0.1", "fd00:10::1"]);
});

test("Proxmox also accepts both families", () => {
  const config = changed({
    "cidr: 10.10.0.0/24": 'cidr: ["fd00:10::/64", 10.10.0.0/24]',
    "gateway: 10.10.0.1": "gateway: fd00:10::1",
    "endpoint: 10.10.0.5": "endpoint: fd00:10::5",
    "ip: 10.10.0.11": 'ip: ["fd00:10::11", 10.10.0.11]',
    "ip: 10.10.0.21": 'ip: ["fd00:10::21", 10.10.0.21]',
  });
  expect(load(config).config.nodes.map(({ ip, secondIp }) => [ip, secondIp])[0]).toEqual(["fd00:10::11", "10.10.0.11"]);
});

test("IPv6 addresses count up across group boundaries", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 0xffffffff }), fc.integer({ min: 1, max: 300 }), (start, count) => {
      const first = `fd00:10::${(start >>> 16).toString(16)}:${(start & 0xffff).toString(16)}`;
      const config = changed({ "count: 2, ip: fd00:10::fffe": `count: ${count}, ip: "${first}"` }, SIX);
      if (start <= 0x11 && start + count > 0x11) return;
      const values = loadMetal(config)
        .config.nodes.slice(1)
        .map(({ ip }) => {
          const [, tail = ""] = ip.split("::");
          const parts = tail.split(":").map((part) => Number.parseInt(part || "0", 16));
          return parts.reduce((sum, part) => sum * 65_536 + part, 0);
        });
      expect(values).toEqual(Array.from({ length: count }, (_, n) => start + n));
    }),
    { numRuns: 30 },
  );
});

const cases: Case[] = [
  [
    "a second network of the same family",
    { '"fd00:10::/64"': "10.20.0.0/24" },
    "7:24",
    "network.cidr[1] is a second IPv4 network",
    "name one network, or one of each family; networks of other cards go under nics",
  ],
  [
    "three networks",
    { '"fd00:10::/64"': '"fd00:10::/64", 10.20.0.0/24' },
    "7:9",
    "network.cidr must be one, or a list of one IPv4 and one IPv6",
    "write one, or two of different families",
  ],
  [
    "a node without its second address",
    { 'ip: [10.10.0.11, "fd00:10::11"]': "ip: 10.10.0.11" },
    "12:9",
    "nodes[0].ip is IPv4, but network.cidr is IPv4 and IPv6",
    "write an address of each, in this order, such as [10.10.0.11, fd00:10::11]",
  ],
  [
    "a node with its addresses the other way round",
    { 'ip: [10.10.0.21, "fd00:10::21"]': 'ip: ["fd00:10::21", 10.10.0.21]' },
    "13:49",
    "nodes[1].ip is IPv6 and IPv4, but network.cidr is IPv4 and IPv6",
    "write an address of each, in this order, such as [10.10.0.11, fd00:10::11]",
  ],
  [
    "a second address outside its network",
    { '"fd00:10::21"': '"fd00:11::21"' },
    "13:62",
    "nodes[1].ip[1] is outside network.cidr",
    "choose an address from fd00:10::2 to fd00:10::ffff:ffff:ffff:ffff, or widen network.cidr (line 7)",
  ],
  [
    "a second address that is the gateway's",
    { '"fd00:10::11"': '"fd00:10:0:0::1"' },
    "12:22",
    "nodes[0].ip[1] gives cp the address of the gateway",
    "choose another address than fd00:10::1",
  ],
  [
    "a second address that two nodes share",
    { '"fd00:10::11"': '"fd00:10::22"' },
    "13:62",
    "nodes[1].ip[1] gives worker-2 the address of cp",
    "start elsewhere: fd00:10::22 is inside this pool's range",
  ],
  [
    "no gateway for the first network",
    { 'gateway: [10.10.0.1, "fd00:10::1"]': 'gateway: "fd00:10::1"' },
    "8:12",
    "network.gateway has no gateway for 10.10.0.0/24, the nodes' first network",
    "add its IPv4 gateway; only the second network's may be missing",
  ],
  [
    "two gateways of one family",
    { 'gateway: [10.10.0.1, "fd00:10::1"]': "gateway: [10.10.0.1, 10.10.0.2]" },
    "8:24",
    "network.gateway[1] is a second IPv4 gateway",
    "keep one of the two",
  ],
  [
    "a VIP in the second network",
    { "endpoint: 10.10.0.11": 'endpoint: "fd00:10::5"' },
    "4:13",
    "cluster.endpoint is in the nodes' second network: a virtual IP must be in the first",
    "choose an unused address from 10.10.0.2 to 10.10.0.254",
  ],
  [
    "packets too small for IPv6",
    { "gateway: [": "mtu: 1000\n  gateway: [" },
    "8:8",
    "network.mtu is less than IPv6 needs",
    "use at least 1280",
  ],
  [
    "a network prefix that nodes cannot have",
    { '"fd00:10::/64"': '"fd00:10::/127"' },
    "7:24",
    "network.cidr[1] has a prefix length outside 16 to 126",
    "write a network such as fd00:10::/64",
  ],
  [
    "a link-local network",
    { '"fd00:10::/64"': '"fe80::/64"' },
    "7:24",
    "network.cidr[1] is a link-local or multicast network, which nodes cannot use",
    "write a network such as fd00:10::/64",
  ],
];

toldAlone(cases, BOTH);

toldAlone(
  [
    [
      "an IPv6 address in an IPv4 network",
      { "ip: 10.10.0.11": "ip: fd00::11" },
      "12:9",
      "nodes[0].ip is IPv6, but network.cidr is IPv4",
      "write an IPv4 address, such as 10.10.0.11",
    ],
    [
      "an IPv6 gateway of an IPv4 network",
      { "gateway: 10.10.0.1": "gateway: fd00::1" },
      "8:12",
      "network.gateway is IPv6, but network.cidr is not",
      "write a gateway of 10.10.0.0/24",
    ],
    [
      "a number as an address",
      { "ip: 10.10.0.11": "ip: 11" },
      "12:9",
      "nodes[0].ip must be text; without quotes, YAML reads 11 as a number",
      "write one such as 10.10.0.11 or fd00:10::11",
    ],
    [
      "a bad one of two addresses",
      { "ip: 10.10.0.11": "ip: [10.10.0.11, fd00:::1]" },
      "12:22",
      "nodes[0].ip[1] is not an IP address",
      "write one such as 10.10.0.11 or fd00:10::11",
    ],
  ],
  METAL,
);
