import { expect, test } from "vitest";
import type { FirewallConfig, Role } from "../../../config/config.ts";
import { printConfig } from "../print.ts";
import { type FirewallFacts, firewallDocuments } from "./firewall.ts";

const facts: FirewallFacts = {
  cluster: { talos: "v1.13.9", cni: "flannel", podSubnets: ["10.244.0.0/16"], kubespan: false },
  network: { cidr: "10.10.0.0/24" },
  nodes: [
    { role: "controlplane", ip: "10.10.0.11" },
    { role: "controlplane", ip: "10.10.0.12" },
    { role: "worker", ip: "10.10.0.21" },
  ],
};
const firewall: FirewallConfig = { admin: ["192.168.1.0/24"], open: [] };
type Cluster = Partial<FirewallFacts["cluster"]>;
const rules = (role: Role, cluster: Cluster = {}, more: Partial<FirewallFacts> = {}, open = firewall) =>
  firewallDocuments(open, { ...facts, ...more, cluster: { ...facts.cluster, ...cluster } }, role).slice(1);
const names = (...of: Parameters<typeof rules>) => rules(...of).map(({ name }) => name);
const rule = (wanted: string, ...of: Parameters<typeof rules>) => rules(...of).find(({ name }) => name === wanted);
const from = (...subnets: string[]) => subnets.map((subnet) => ({ subnet }));

// docs/facts/talos.md#ingress-firewall
test("a worker lets in the Talos API, kubelet and the network of pods, and nothing else", () => {
  expect(printConfig(firewallDocuments(firewall, facts, "worker"))).toBe(`apiVersion: v1alpha1
kind: NetworkDefaultActionConfig
ingress: block
---
apiVersion: v1alpha1
kind: NetworkRuleConfig
name: apid-ingress
portSelector:
    ports:
        - 50000
    protocol: tcp
ingress:
    - subnet: 192.168.1.0/24
    - subnet: 10.10.0.0/24
---
apiVersion: v1alpha1
kind: NetworkRuleConfig
name: kubelet-ingress
portSelector:
    ports:
        - 10250
    protocol: tcp
ingress:
    - subnet: 10.10.0.0/24
    - subnet: 10.244.0.0/16
---
apiVersion: v1alpha1
kind: NetworkRuleConfig
name: cni-vxlan
portSelector:
    ports:
        - 4789
    protocol: udp
ingress:
    - subnet: 10.10.0.0/24
`);
});

test("a control plane lets in trustd, Kubernetes and etcd too", () => {
  const more = ["trustd-ingress", "kubernetes-api-ingress", "etcd-ingress"];
  expect(names("controlplane")).toEqual(["apid-ingress", ...more, "kubelet-ingress", "cni-vxlan"]);
  expect(rule("kubernetes-api-ingress", "controlplane")).toMatchObject({
    ingress: from("192.168.1.0/24", "10.10.0.0/24", "10.244.0.0/16"),
  });
});

test("only control planes reach etcd, and from Talos 1.14 on its HTTP port", () => {
  const ingress = from("10.10.0.11/32", "10.10.0.12/32");
  expect(rule("etcd-ingress", "controlplane")).toMatchObject({ portSelector: { ports: ["2379-2380"] }, ingress });
  expect(rule("etcd-ingress", "controlplane", { talos: "v1.14.1" })).toMatchObject({
    portSelector: { ports: ["2379-2380", 2383] },
    ingress,
  });
});

// Cilium's list of ports: 8472/udp, 4240/tcp, 4244/tcp for Hubble.
test("each CNI has its own ports, and none has none", () => {
  expect(rule("cni-vxlan", "worker", { cni: "cilium" })).toMatchObject({ portSelector: { ports: [8472], protocol: "udp" } });
  expect(names("worker", { cni: "cilium" }).slice(2)).toEqual(["cni-vxlan", "cilium-health", "cilium-hubble"]);
  expect(names("worker", { cni: "none" })).toEqual(["apid-ingress", "kubelet-ingress"]);
});

test("KubeSpan is let in from everywhere, because a peer can be behind any address", () => {
  expect(rule("kubespan", "worker", { kubespan: true })).toMatchObject({
    portSelector: { ports: [51820], protocol: "udp" },
    ingress: from("0.0.0.0/0", "::/0"),
  });
});

test("pods reach the Talos API of control planes when some of them may", () => {
  const talosApiAccess = { roles: ["os:reader"], namespaces: ["kube-system"] };
  expect(rule("apid-ingress", "controlplane", { talosApiAccess })).toMatchObject({
    ingress: from("192.168.1.0/24", "10.10.0.0/24", "10.244.0.0/16"),
  });
  expect(rule("apid-ingress", "worker", { talosApiAccess })).toMatchObject({ ingress: from("192.168.1.0/24", "10.10.0.0/24") });
});

test("both families are let in, and a node outside of its networks one by one", () => {
  const network = { cidr: "10.10.0.0/24", second: { cidr: "fd00:10::/64", prefix: 64 } };
  const nodes: FirewallFacts["nodes"] = [
    { role: "controlplane", ip: "10.10.0.11", secondIp: "fd00:10::11" },
    { role: "worker", ip: "203.0.113.7", secondIp: "2001:db8::7" },
  ];
  expect(rule("trustd-ingress", "controlplane", {}, { network, nodes })).toMatchObject({
    ingress: from("10.10.0.0/24", "fd00:10::/64", "203.0.113.7/32", "2001:db8::7/128"),
  });
  expect(rule("etcd-ingress", "controlplane", {}, { network, nodes })).toMatchObject({
    ingress: from("10.10.0.11/32", "fd00:10::11/128"),
  });
});

test("in a private network nodes come from their addresses there, and strangers in it are not let in", () => {
  const nodes: FirewallFacts["nodes"] = [
    { role: "controlplane", ip: "203.0.113.11", privateIp: "10.0.0.11" },
    { role: "worker", ip: "198.51.100.21", privateIp: "10.0.0.21" },
  ];
  const more = { network: {}, nodes };
  expect(rule("etcd-ingress", "controlplane", {}, more)).toMatchObject({ ingress: from("203.0.113.11/32", "10.0.0.11/32") });
  const all = from("203.0.113.11/32", "10.0.0.11/32", "198.51.100.21/32", "10.0.0.21/32");
  for (const name of ["trustd-ingress", "cni-vxlan"])
    expect(rule(name, "controlplane", {}, more)).toMatchObject({ ingress: all });
});

test("declared ports are open on their nodes, under names that do not collide with built-in rules", () => {
  const web = { name: "web", ports: ["80", "8000-9000"], protocol: "tcp", from: ["0.0.0.0/0"], on: "worker" } as const;
  const open = { ...firewall, open: [web] };
  expect(rule("open-web", "worker", {}, {}, open)).toMatchObject({
    portSelector: { ports: [80, "8000-9000"], protocol: "tcp" },
    ingress: from("0.0.0.0/0"),
  });
  expect(names("controlplane", {}, {}, open)).not.toContain("open-web");
});

test("in a shared network the rules name each node's addresses of both families, and no others", () => {
  const nodes: FirewallFacts["nodes"] = [
    { role: "controlplane", ip: "203.0.113.11", secondIp: "2001:db8:11::1" },
    { role: "controlplane", ip: "203.0.113.12" },
    { role: "worker", ip: "198.51.100.21", secondIp: "2001:db8:21::1" },
  ];
  const all = from("203.0.113.11/32", "2001:db8:11::1/128", "203.0.113.12/32", "198.51.100.21/32", "2001:db8:21::1/128");
  const given = { network: { second: { prefix: 64 } }, nodes };
  expect(rule("trustd-ingress", "controlplane", {}, given)).toMatchObject({ ingress: all });
  expect(rule("cni-vxlan", "worker", {}, given)).toMatchObject({ ingress: all });
  expect(rule("etcd-ingress", "controlplane", {}, given)).toMatchObject({ ingress: all.slice(0, 3) });
});

test("WireGuard peers count as administrators, and its port is open to all addresses", () => {
  const given = { wireguard: { cidr: "10.99.0.0/24", port: 51821 } };
  expect(rule("apid-ingress", "worker", {}, given)).toMatchObject({
    ingress: from("192.168.1.0/24", "10.99.0.0/24", "10.10.0.0/24"),
  });
  expect(rule("kubernetes-api-ingress", "controlplane", {}, given)).toMatchObject({
    ingress: from("192.168.1.0/24", "10.99.0.0/24", "10.10.0.0/24", "10.244.0.0/16"),
  });
  expect(rule("wireguard", "worker", {}, given)).toMatchObject({
    portSelector: { ports: [51821], protocol: "udp" },
    ingress: from("0.0.0.0/0", "::/0"),
  });
  for (const name of ["trustd-ingress", "etcd-ingress", "kubelet-ingress"])
    expect(JSON.stringify(rule(name, "controlplane", {}, given))).not.toContain("10.99.0.0/24");
});
