import { celProblem } from "@talosmith/lab/talos/cel/check.ts";
import { ENVIRONMENTS } from "@talosmith/lab/talos/cel/environments.ts";
import { celHolds } from "@talosmith/lab/talos/cel/evaluate.ts";
import { expect, test } from "vitest";
import { printConfig } from "../print.ts";
import { ONLY_CARD } from "./link-documents.ts";
import { linkDocuments } from "./links.ts";
import { type TestNode, testNode } from "./testing/test-node.ts";

const MAC = "BC:24:11:AA:00:01";
const documents = (input: TestNode) => linkDocuments(testNode({ mac: MAC, ...input }));
const one = (kind: string, input: TestNode) => documents(input).find((document) => document.kind === kind);
const kinds = (input: TestNode) => documents(input).map(({ kind }) => kind);

test("a worker never carries the VIP, which Talos would refuse", () => {
  const cluster = { vip: "10.10.0.5" };
  expect(kinds({ cluster })).toContain("Layer2VIPConfig");
  expect(kinds({ cluster, node: { role: "worker" } })).not.toContain("Layer2VIPConfig");
});

test("without a MAC no link is configured, so DHCP or the platform stays in effect", () => {
  const network = { nameservers: ["10.10.0.1"], mtu: 9000 };
  expect(documents({ mac: undefined, network, cluster: { vip: "10.10.0.5" } })).toEqual([]);
});

test("both families have an address and a way out, and an address without a gateway has none", () => {
  const second = { cidr: "fd00:10::/64", prefix: 64, gateway: "fe80::1" };
  const node = { secondIp: "fd00:10::11" };
  const addresses = [{ address: "10.10.0.11/24" }, { address: "fd00:10::11/64" }];
  expect(one("LinkConfig", { node, network: { second } })).toMatchObject({
    addresses,
    routes: [{ gateway: "10.10.0.1" }, { gateway: "fe80::1" }],
  });
  expect(one("LinkConfig", { node, network: { second: { cidr: "fd00:10::/64", prefix: 64 } } })).toMatchObject({
    addresses,
    routes: [{ gateway: "10.10.0.1" }],
  });
});

test("an IPv6-only node has its address, its gateway and an IPv6 VIP", () => {
  const network = { cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1", nameservers: ["2606:4700::1111"] };
  const input = { node: { ip: "fd00:10::11" }, network, cluster: { vip: "fd00:10::5" } };
  expect(one("LinkConfig", input)).toMatchObject({
    addresses: [{ address: "fd00:10::11/64" }],
    routes: [{ gateway: "fd00:10::1" }],
  });
  expect(one("Layer2VIPConfig", input)).toMatchObject({ name: "fd00:10::5", link: "net0" });
});

// docs/facts/talos.md#network-rules
test("a gateway outside of the node's network is said to be on the link first", () => {
  expect(one("LinkConfig", { node: { gateway: "192.168.7.1" } })).toMatchObject({
    routes: [{ destination: "192.168.7.1/32" }, { gateway: "192.168.7.1" }],
  });
  const lone = { cidr: "203.0.113.7/32", prefix: 32, gateway: "203.0.113.1" };
  expect(one("LinkConfig", { node: { ip: "203.0.113.7" }, network: lone })).toMatchObject({
    addresses: [{ address: "203.0.113.7/32" }],
    routes: [{ destination: "203.0.113.1/32" }, { gateway: "203.0.113.1" }],
  });
});

test("a node's own gateway takes the place of its family's alone", () => {
  const second = { cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1" };
  expect(one("LinkConfig", { node: { secondIp: "fd00:10::11", gateway: "10.10.0.254" }, network: { second } })).toMatchObject({
    routes: [{ gateway: "10.10.0.254" }, { gateway: "fd00:10::1" }],
  });
});

test("a rented server has its own prefix and gateway, and without a prefix a network of one address", () => {
  const network = { cidr: undefined, prefix: undefined, gateway: undefined };
  const node = { ip: "203.0.113.7", prefix: 26, gateway: "203.0.113.1" };
  expect(one("LinkConfig", { node, network })).toMatchObject({
    addresses: [{ address: "203.0.113.7/26" }],
    routes: [{ gateway: "203.0.113.1" }],
  });
  expect(one("LinkConfig", { node: { ip: "2001:db8::7" }, network })).toMatchObject({
    addresses: [{ address: "2001:db8::7/128" }],
  });
});

test("a second family has its own prefix and its own gateway, outside of its network too", () => {
  const network = { cidr: undefined, prefix: undefined, gateway: undefined, second: { prefix: 64, gateway: "fe80::1" } };
  const node = { ip: "203.0.113.7", prefix: 32, gateway: "172.31.1.1", secondIp: "2001:db8:7::1" };
  expect(one("LinkConfig", { node, network })).toMatchObject({
    addresses: [{ address: "203.0.113.7/32" }, { address: "2001:db8:7::1/64" }],
    routes: [{ destination: "172.31.1.1/32" }, { gateway: "172.31.1.1" }, { gateway: "fe80::1" }],
  });
});

test("the only card is selected by what it is; a known MAC goes before", () => {
  const alias = { kind: "LinkAliasConfig", name: "net0" };
  expect(one("LinkAliasConfig", { mac: undefined, node: { onlyCard: true } })).toMatchObject({
    ...alias,
    selector: { match: ONLY_CARD },
  });
  expect(one("LinkAliasConfig", { node: { onlyCard: true } })).toMatchObject({
    selector: { match: 'mac(link.permanent_addr) == "bc:24:11:aa:00:01"' },
  });
});

// LinkStatusSpec of Talos: Type is ARPHRD_*, Kind is IFLA_INFO_KIND, which hardware does not have.
test.each([
  ["virtio_net", 1, "", true],
  ["e1000", 1, "", true],
  ["hv_netvsc", 1, "", true],
  ["igc", 1, "", true],
  ["", 1, "", true],
  ["", 772, "", false],
  ["bonding", 1, "bond", false],
  ["802.1Q VLAN Support", 1, "vlan", false],
  ["wireguard", 65534, "wireguard", false],
  ["vxlan", 1, "vxlan", false],
  ["veth", 1, "veth", false],
  ["dummy", 1, "dummy", false],
  ["cdc_ether", 1, "", false],
  ["rndis_host", 1, "", false],
])("a link of driver %j, type %d and kind %j is the only card: %s", (driver, type, kind, is) => {
  expect(celHolds(ONLY_CARD, { link: { driver, type, kind } })).toBe(is);
});

test("the only card is selected by a valid link expression", () => {
  expect(celProblem(ONLY_CARD, ENVIRONMENTS.link)).toBeUndefined();
});

test("a tagged node has its addresses on a VLAN of its card, and the card can carry packets as long", () => {
  const input = { node: { tag: 30 }, network: { mtu: 9000 }, cluster: { vip: "10.10.0.5" } };
  expect(printConfig(documents(input).slice(1))).toBe(`apiVersion: v1alpha1
kind: LinkConfig
name: net0
up: true
mtu: 9000
---
apiVersion: v1alpha1
kind: VLANConfig
name: net0.30
vlanID: 30
parent: net0
up: true
mtu: 9000
addresses:
    - address: 10.10.0.11/24
routes:
    - gateway: 10.10.0.1
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.10.0.5
link: net0.30
`);
});

test("a bond has its cards by MAC address, and the addresses", () => {
  const bond = { mode: "802.3ad", macs: [MAC, "BC:24:11:AA:00:02"], lacpRate: "fast", xmitHashPolicy: "layer3+4" } as const;
  expect(printConfig(documents({ mac: undefined, node: { bond } }))).toBe(`apiVersion: v1alpha1
kind: LinkAliasConfig
name: bond0p0
selector:
    match: mac(link.permanent_addr) == "bc:24:11:aa:00:01"
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: bond0p1
selector:
    match: mac(link.permanent_addr) == "bc:24:11:aa:00:02"
---
apiVersion: v1alpha1
kind: BondConfig
name: bond0
links:
    - bond0p0
    - bond0p1
bondMode: 802.3ad
miimon: 100
updelay: 200
downdelay: 200
xmitHashPolicy: layer3+4
lacpRate: fast
up: true
addresses:
    - address: 10.10.0.11/24
routes:
    - gateway: 10.10.0.1
`);
});

// BondConfigV1Alpha1.Validate warns about a missing miimon, updelay or downdelay of 802.3ad only.
test("a bond always monitors its links, and only an LACP one sets its delays", () => {
  const bond = { mode: "active-backup", macs: [MAC] };
  expect(one("BondConfig", { node: { bond } })).not.toHaveProperty("updelay");
  expect(one("BondConfig", { node: { bond } })).toMatchObject({ miimon: 100 });
  expect(one("BondConfig", { node: { bond: { ...bond, mode: "802.3ad", miimon: 50 } } })).toMatchObject({
    miimon: 50,
    updelay: 100,
  });
});

test("a tagged bond carries the VIP on its VLAN", () => {
  const node = { bond: { mode: "active-backup", macs: [MAC] }, tag: 7 };
  expect(one("Layer2VIPConfig", { node, cluster: { vip: "10.10.0.5" } })).toMatchObject({ link: "bond0.7" });
});
