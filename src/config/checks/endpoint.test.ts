import { expect, test } from "vitest";
import { changed, load, problems } from "../testing/config-in-memory.ts";

const THREE = { "role: controlplane": "role: controlplane\n    count: 3" };
const at = (endpoint: string, vip = "", more = {}) =>
  changed({ "endpoint: 10.10.0.5": `endpoint: ${endpoint}${vip === "" ? "" : `\n  vip: ${vip}`}`, ...more });
const vipOf = (config: string) => load(config).config.cluster.vip;

test("an unused address of the network is a VIP, with one control plane too", () => {
  expect(vipOf(at("10.10.0.5"))).toBe("10.10.0.5");
});

test("a control plane's address as endpoint is not a VIP", () => {
  expect(vipOf(at("10.10.0.11"))).toBeUndefined();
});

test("warns about an endpoint that is one of several control planes", () => {
  const { warnings } = load(at("10.10.0.12", "", THREE));
  expect(warnings.map(({ message }) => message)).toEqual([
    "cluster.endpoint is cp-2: without that one control plane the cluster cannot be reached",
  ]);
});

test("a worker's address is refused as endpoint", () => {
  expect(problems(at("10.10.0.22"))).toEqual(["4:13 cluster.endpoint is the address of worker-2, a worker"]);
});

test("an address outside the network is a load balancer in front", () => {
  const { config, warnings } = load(at("192.168.5.5"));
  expect([config.cluster.endpoint, config.cluster.vip, warnings]).toEqual(["192.168.5.5", undefined, []]);
});

test("a load balancer in front may have a VIP behind it", () => {
  expect(vipOf(at("192.168.5.5", "10.10.0.6"))).toBe("10.10.0.6");
});

test("a DNS name is accepted, with or without a VIP", () => {
  expect(vipOf(at("k8s.home.arpa", "10.10.0.6"))).toBe("10.10.0.6");
  expect(vipOf(at("k8s.home.arpa"))).toBeUndefined();
});

test("endpoint and VIP may be the same address", () => {
  expect(vipOf(at("10.10.0.5", "10.10.0.5"))).toBe("10.10.0.5");
});

test("an endpoint address of the network and another VIP contradict each other", () => {
  expect(problems(at("10.10.0.5", "10.10.0.6"))).toEqual([
    "5:8 cluster.vip differs from cluster.endpoint, which is also an address of the nodes' network",
  ]);
});

test.each([
  ["10.10.0.11", "5:8 cluster.vip is the address of cp"],
  ["10.10.0.1", "5:8 cluster.vip is the gateway's address"],
  ["10.10.9.5", "5:8 cluster.vip is outside network.cidr"],
  ["10.10.0.255", "5:8 cluster.vip is the network's broadcast address"],
])("%s is refused as a VIP", (vip, expected) => {
  expect(problems(at("k8s.home.arpa", vip))).toEqual([expected]);
});

test.each([
  ["10.10.0.1", "4:13 cluster.endpoint is the gateway's address"],
  ["10.10.0.0", "4:13 cluster.endpoint is the network's own address"],
  ["10.10.0.999", "4:13 cluster.endpoint is neither an IP address nor a DNS name"],
  ['"[fd00::5]:6443"', "4:13 cluster.endpoint must be only an address or a name"],
])("%s is refused as an endpoint", (endpoint, expected) => {
  expect(problems(at(endpoint))).toEqual([expected]);
});

test("warns about a VIP that is also a DNS server", () => {
  const config = at("10.10.0.5", "", { "gateway: 10.10.0.1": "gateway: 10.10.0.1\n  nameservers: [10.10.0.5]" });
  expect(load(config).warnings.map(({ message }) => message)).toEqual(["cluster.endpoint is also a nameserver"]);
});

test.each([
  ["192.168.5.5", 1],
  ["10.10.0.5", 0],
  ["10.10.0.11", 0],
  ["k8s.home.arpa", 0],
])(
  "without discovery, %s as endpoint causes %i warnings, because a load balancer only forwards to Kubernetes",
  (endpoint, times) => {
    const { warnings } = load(at(`${endpoint}\n  discovery: false`));
    expect(
      warnings.filter(({ message }) => message.includes("nodes learn the control planes' addresses only from Kubernetes")),
    ).toHaveLength(times);
  },
);
