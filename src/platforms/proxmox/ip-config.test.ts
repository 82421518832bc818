import { expect, test } from "vitest";
import type { OneNetwork } from "../../config/config.ts";
import { ipConfigInWords, ipConfigOf, printIpConfig, readIpConfig } from "./ip-config.ts";
import { testNode } from "./testing/test-node.ts";

const FOUR: OneNetwork = {
  cidr: "10.10.0.0/24",
  prefix: 24,
  gateway: "10.10.0.1",
  nameservers: ["10.10.0.1"],
  via: "direct",
  timeServers: [],
};
const SIX: OneNetwork = { ...FOUR, cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1", nameservers: ["fd00:10::1"] };

// The spelling is Proxmox's: `pve-qm-ipconfig` of its API, "ip=…,gw=…,ip6=…,gw6=…".
test.each([
  ["IPv4 alone", FOUR, { ip: "10.10.0.11" }, "ip=10.10.0.11/24,gw=10.10.0.1"],
  ["IPv6 alone", SIX, { ip: "fd00:10::11" }, "ip6=fd00:10::11/64,gw6=fd00:10::1"],
  [
    "both",
    { ...FOUR, second: { cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1" } },
    { ip: "10.10.0.11", secondIp: "fd00:10::11" },
    "ip=10.10.0.11/24,gw=10.10.0.1,ip6=fd00:10::11/64,gw6=fd00:10::1",
  ],
  [
    "IPv6 first",
    { ...SIX, second: { cidr: "10.10.0.0/24", prefix: 24 } },
    { ip: "fd00:10::11", secondIp: "10.10.0.11" },
    "ip=10.10.0.11/24,ip6=fd00:10::11/64,gw6=fd00:10::1",
  ],
  ["a gateway of its own", FOUR, { ip: "10.10.0.11", gateway: "10.10.0.254" }, "ip=10.10.0.11/24,gw=10.10.0.254"],
  [
    "a second network without its address there",
    { ...FOUR, second: { cidr: "fd00:10::/64", prefix: 64 } },
    { ip: "10.10.0.11" },
    "ip=10.10.0.11/24,gw=10.10.0.1",
  ],
])("a node with %s", (_, network, own, printed) => {
  expect(printIpConfig(ipConfigOf(network, testNode(own)))).toBe(printed);
});

test("a printed value reads back unchanged", () => {
  const dual = { ip: "10.10.0.11/24", gw: "10.10.0.1", ip6: "fd00:10::11/64", gw6: "fd00:10::1" };
  expect(readIpConfig(printIpConfig(dual))).toEqual(dual);
});

test("another order and another spelling of an address are the same", () => {
  const other = readIpConfig("gw6=FD00:0010:0::1,ip6=fd00:10:0:0:0:0:0:11/64,gw=10.10.0.1,ip=10.10.0.11/24");
  expect(ipConfigInWords(other)).toBe("10.10.0.11/24 via 10.10.0.1, fd00:10::11/64 via fd00:10::1");
});

test.each([
  ["ip=dhcp,ip6=auto", "dhcp, auto"],
  [undefined, "none"],
  ["gw=10.10.0.1", "none"],
])("%j reads as %j", (text, words) => {
  expect(ipConfigInWords(readIpConfig(text))).toBe(words);
});
