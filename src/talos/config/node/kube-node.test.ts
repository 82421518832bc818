import { expect, test } from "vitest";
import type { NicConfig } from "../../../config/config.ts";
import { kubeNodePart } from "./kube-node.ts";
import { testNode } from "./testing/test-node.ts";

const nics: NicConfig[] = [{ mac: "BC:24:11:AA:00:02", ip: ["10.20.0.11/24"], dhcp: false, routes: [], vlans: [] }];
const texts = { labels: { zone: "a" }, annotations: { rack: "r1" }, taints: { gpu: "yes:NoSchedule" } };
const v114 = { contract: "v1.14", talos: "v1.14.1" };

test("labels, annotations and taints go where the contract has them", () => {
  expect(kubeNodePart(testNode({ node: texts }))).toEqual({
    machine: { nodeLabels: { zone: "a" }, nodeAnnotations: { rack: "r1" }, nodeTaints: { gpu: "yes:NoSchedule" } },
  });
  expect(kubeNodePart(testNode({ node: texts, cluster: v114 }))).toEqual({
    documents: [{ apiVersion: "v1alpha1", kind: "KubeNodeConfig", ...texts }],
  });
});

// docs/facts/talos.md#virtual-address
test("a control plane with more networks tells kubelet and etcd which one is the cluster's", () => {
  expect(kubeNodePart(testNode({ node: { nics } }))).toEqual({
    machine: { kubelet: { nodeIP: { validSubnets: ["10.10.0.0/24"] } } },
    cluster: { etcd: { advertisedSubnets: ["10.10.0.0/24"] } },
  });
  expect(kubeNodePart(testNode({ node: { nics }, cluster: v114 }))).toEqual({
    cluster: { etcd: { advertisedSubnets: ["10.10.0.0/24"] } },
    documents: [{ apiVersion: "v1alpha1", kind: "KubeNodeConfig", nodeIP: { validSubnets: ["10.10.0.0/24"] } }],
  });
});

test("a worker says nothing of etcd", () => {
  expect(kubeNodePart(testNode({ node: { nics, role: "worker" } }))).not.toHaveProperty("cluster");
});

test("both families count, and an address outside of the network counts by itself", () => {
  const second = { cidr: "fd00:10::/64", prefix: 64 };
  const node = { nics, role: "worker", ip: "192.168.1.9", secondIp: "fd00:10::9" } as const;
  expect(kubeNodePart(testNode({ node, network: { second } })).machine).toEqual({
    kubelet: { nodeIP: { validSubnets: ["192.168.1.9/32", "fd00:10::/64"] } },
  });
});

// machine.kubelet.extraMounts of Talos 1.12 and 1.13; the KubeletConfig document of 1.14 has none.
test("folders outside of /var/mnt are mounts of kubelet, beside its other settings", () => {
  const node = { nics, role: "worker", kubeletMounts: ["/var/lib/longhorn", "/var/mnt/data"] } as const;
  const mount = { destination: "/var/lib/longhorn", type: "bind", source: "/var/lib/longhorn" };
  expect(kubeNodePart(testNode({ node })).machine).toEqual({
    kubelet: {
      nodeIP: { validSubnets: ["10.10.0.0/24"] },
      extraMounts: [{ ...mount, options: ["bind", "rshared", "rw"] }],
    },
  });
});

test("a node never gives out its address in the WireGuard of people, and among strangers its own addresses are its networks", () => {
  const wireguard = { apiVersion: "v1alpha1", kind: "WireguardConfig" };
  expect(kubeNodePart(testNode({ wireguard })).cluster).toEqual({ etcd: { advertisedSubnets: ["10.10.0.0/24"] } });
  const network = { cidr: undefined, second: { prefix: 64 } };
  const node = { ip: "203.0.113.7", secondIp: "2001:db8:7::1" };
  const subnets = ["203.0.113.7/32", "2001:db8:7::1/128"];
  expect(kubeNodePart(testNode({ wireguard, node, network }))).toEqual({
    machine: { kubelet: { nodeIP: { validSubnets: subnets } } },
    cluster: { etcd: { advertisedSubnets: subnets } },
  });
});

// guides/09: at Hetzner the public address is a /32, the private network a 10.0.0.0/16.
test("rented servers with a private network know each other by their addresses there", () => {
  const network = { cidr: undefined, privateCidr: "10.0.0.0/16", second: { prefix: 64 } };
  const node = { nics, ip: "203.0.113.7", privateIp: "10.0.0.11" };
  expect(kubeNodePart(testNode({ node, network }))).toEqual({
    machine: { kubelet: { nodeIP: { validSubnets: ["10.0.0.0/16"] } } },
    cluster: { etcd: { advertisedSubnets: ["10.0.0.0/16"] } },
  });
});
