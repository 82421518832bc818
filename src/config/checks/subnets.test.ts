import { expect, test } from "vitest";
import { changed, load, problems } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

const inCluster = (text: string) => ({ "talos: v1.13.9": `talos: v1.13.9\n  ${text}` });
const warned = (text: string) =>
  load(changed(inCluster(text))).warnings.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);

test("warns about IPv6 networks of pods and services with IPv4 nodes", () => {
  expect(warned('podSubnets: [10.244.0.0/16, "fd42::/56"]\n  serviceSubnets: [10.96.0.0/12, "fd43::/112"]')).toEqual([
    "6:31 cluster.podSubnets[1] is IPv6, but the nodes have no IPv6 address",
    "7:34 cluster.serviceSubnets[1] is IPv6, but the nodes have no IPv6 address",
  ]);
});

test("warns about too little room for the nodes' pods, because a patch can make it enough", () => {
  expect(warned("podSubnets: [10.244.0.0/23]")).toEqual([
    "6:16 cluster.podSubnets[0] has room for 2 nodes: each takes a /24 of it",
  ]);
});

test("warns about nodes in a network that overlaps Talos's default subnets, because the cluster may exist", () => {
  const config = changed({ "cidr: 10.10.0.0/24": "cidr: 10.0.0.0/8" });
  expect(load(config).warnings.map(({ message }) => message)).toEqual([
    "network.cidr overlaps cluster.podSubnets, which is 10.244.0.0/16 by default",
    "network.cidr overlaps cluster.serviceSubnets, which is 10.96.0.0/12 by default",
  ]);
});

const cases: Case[] = [
  [
    "pods in the nodes' network",
    inCluster("podSubnets: [10.0.0.0/10]"),
    "6:16",
    "cluster.podSubnets[0] overlaps network.cidr",
    "choose networks that do not overlap",
  ],
  [
    "services in the pods' network",
    inCluster("serviceSubnets: [10.244.0.0/16]"),
    "6:20",
    "cluster.serviceSubnets[0] overlaps cluster.podSubnets",
    "choose networks that do not overlap",
  ],
  [
    "two families of pods and one of services",
    inCluster('podSubnets: [10.244.0.0/16, "fd42::/56"]'),
    "6:15",
    "cluster.podSubnets and cluster.serviceSubnets do not have the same address families",
    "write a network of each family into both, or of one family into both",
  ],
  [
    "services without an end",
    inCluster("serviceSubnets: [172.0.0.0/8]"),
    "6:20",
    "cluster.serviceSubnets[0] is too large for services",
    "use a prefix length from 12 to 28, such as 10.96.0.0/12",
  ],
  [
    "a subnet that is none",
    inCluster("podSubnets: [10.244.0.0]"),
    "6:16",
    "cluster.podSubnets[0] has no prefix length",
    "write 10.244.0.0/32 for this address alone",
  ],
  [
    "three subnets",
    inCluster("podSubnets: [10.1.0.0/16, 10.2.0.0/16, 10.3.0.0/16]"),
    "6:15",
    "cluster.podSubnets must name one network, or one of each family",
    "write such as [10.244.0.0/16]",
  ],
];

toldAlone(cases);

test("subnets of other families than the nodes' are refused, in both lists", () => {
  const config = changed(inCluster('podSubnets: ["fd42::/56"]\n  serviceSubnets: ["fd43::/112"]'));
  expect(problems(config)).toEqual([
    "6:16 cluster.podSubnets[0] is IPv6, but the nodes' first network is IPv4",
    "7:20 cluster.serviceSubnets[0] is IPv6, but the nodes' first network is IPv4",
  ]);
});

test("two networks of one family are refused", () => {
  const config = changed(inCluster("podSubnets: [10.1.0.0/16, 10.2.0.0/16]\n  serviceSubnets: [10.3.0.0/16, 10.4.0.0/16]"));
  expect(problems(config)).toEqual([
    "6:29 cluster.podSubnets[1] is a second IPv4 network",
    "7:33 cluster.serviceSubnets[1] is a second IPv4 network",
  ]);
});
