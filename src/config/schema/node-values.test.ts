import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { changed, load } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

/** On the control plane of the good config, at line 18. */
const onNode = (text: string) => ({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });
const inCluster = (text: string) => ({ "talos: v1.13.9": `talos: v1.13.9\n  ${text}` });
const inNetwork = (text: string) => ({ "gateway: 10.10.0.1": `gateway: 10.10.0.1\n  ${text}` });
const KEY =
  "write a name of at most 63 letters, digits, - _ and ., with a letter or digit at both ends, and a domain before it if any: example.com/tier";
const TAINT = "write key=value:Effect or key:Effect, with the effect NoSchedule, PreferNoSchedule or NoExecute";

const cases: Case[] = [
  ["an invalid label key", onNode("labels: { -tier: a }"), "18:15", "nodes[0].labels.-tier is not a valid key", KEY],
  [
    "a label's value that is none",
    onNode('labels: { tier: "a b" }'),
    "18:21",
    "nodes[0].labels.tier is not a valid label value",
    "use at most 63 letters, digits, - _ and ., with a letter or digit at both ends; annotations may hold any text",
  ],
  [
    "a label that is a fraction",
    onNode("labels: { version: 1.10 }"),
    "18:24",
    "nodes[0].labels.version must be text; without quotes, YAML reads 1.10 as a number",
    'write version: "1.10"',
  ],
  [
    "labels that are a list",
    onNode("labels: [a]"),
    "18:13",
    "nodes[0].labels must be a section of keys, not a list",
    "write names and their values: { tier: general }",
  ],
  [
    "an annotation of Talos's own",
    onNode('annotations: { talos.dev/owned-labels: "[]" }'),
    "18:20",
    "nodes[0].annotations.talos.dev/owned-labels is an annotation that Talos manages itself",
    "remove it",
  ],
  ["a taint without an effect", onNode("taints: [gpu]"), "18:14", "nodes[0].taints[0] is not a taint", TAINT],
  [
    "a taint with its effect in small letters",
    onNode('taints: ["gpu:noschedule"]'),
    "18:14",
    "nodes[0].taints[0] is not a taint",
    "the effect is written NoSchedule",
  ],
  [
    "a taint with an unknown effect",
    onNode("taints: [{ key: gpu, effect: NoShedule }]"),
    "18:34",
    "nodes[0].taints[0].effect must be NoSchedule, PreferNoSchedule or NoExecute",
    "did you mean NoSchedule?",
  ],
  [
    "two taints of one key",
    onNode('taints: ["gpu:NoSchedule", { key: gpu, effect: NoExecute }]'),
    "18:32",
    "nodes[0].taints[1] is a second taint with the key gpu",
    "keep one of the two: Talos sets one taint for each key",
  ],
  [
    "a kernel setting that is none",
    onNode("sysctls: { somaxconn: 1 }"),
    "18:16",
    "nodes[0].sysctls.somaxconn is not a kernel setting",
    "write it as sysctl does, such as net.core.somaxconn",
  ],
  [
    "a kernel module that is a path",
    onNode("kernelModules: [drivers/nbd.ko]"),
    "18:21",
    "nodes[0].kernelModules[0] is not a valid name for a kernel module",
    "write a name such as nbd",
  ],
  [
    "parameters with blanks",
    onNode('kernelModules: [{ name: nbd, parameters: ["a=1 b=2"] }]'),
    "18:47",
    "nodes[0].kernelModules[0].parameters[0] is not a module parameter",
    "write one parameter per item, such as nbds_max=16",
  ],
  [
    "an unknown GPU driver",
    onNode("gpu: nvidea"),
    "18:10",
    "nodes[0].gpu must be nvidia, nvidia-lts, nvidia-nonfree or nvidia-nonfree-lts",
    "did you mean nvidia?",
  ],
  [
    "an extension of a node without its owner",
    onNode("extensions: [zfs]"),
    "18:18",
    "nodes[0].extensions[0] is not an extension name",
    "write owner and name, such as siderolabs/zfs",
  ],
  [
    "an extension beside a schematic",
    { ...onNode("extensions: [siderolabs/zfs]"), "proxmox:\n": `image: { schematic: ${"a1".repeat(32)} }\nproxmox:\n` },
    "19:5",
    "nodes[0].extensions cannot be added to image.schematic (line 9)",
    "remove image.schematic and list its extensions under image, so that a schematic is created for these nodes; or remove this",
  ],
  [
    "a GPU beside a schematic",
    { ...onNode("gpu: nvidia"), "proxmox:\n": `image: { schematic: ${"a1".repeat(32)} }\nproxmox:\n` },
    "19:5",
    "nodes[0].gpu cannot be added to image.schematic (line 9)",
    "remove image.schematic and list its extensions under image, so that a schematic is created for these nodes; or remove this",
  ],
  [
    "a domain with a dot at its end",
    inCluster("dnsDomain: cluster.local."),
    "6:14",
    "cluster.dnsDomain is not a DNS domain",
    "write it in lower case and without a trailing dot, such as cluster.local",
  ],
  [
    "a certificate for a web address",
    inCluster("certSANs: [https://k8s.home]"),
    "6:14",
    "cluster.certSANs[0] is neither an IP address nor a DNS name",
    "write one such as 10.10.0.5, k8s.home.arpa or *.home.arpa",
  ],
  [
    "an unknown Talos role",
    inCluster("talosApiAccess: { roles: [os:raeder], namespaces: [a] }"),
    "6:29",
    "cluster.talosApiAccess.roles[0] must be os:reader, os:operator, os:admin, os:etcd:backup, os:impersonator, os:image:verifier or os:meta:writer",
    "did you mean os:reader?",
  ],
  [
    "no namespace for the Talos API",
    inCluster("talosApiAccess: { roles: [os:reader], namespaces: [] }"),
    "6:53",
    "cluster.talosApiAccess.namespaces is empty",
    "name at least one, or remove talosApiAccess",
  ],
  [
    "a Talos role that came later",
    { "talos: v1.13.9": "talos: v1.12.7\n  talosApiAccess: { roles: [os:meta:writer], namespaces: [a] }" },
    "6:29",
    "cluster.talosApiAccess.roles[0] os:meta:writer does not exist in Talos v1.12",
    "use os:reader, os:operator, os:admin, os:etcd:backup or os:impersonator, or Talos v1.13",
  ],
  [
    "KubeSpan without discovery",
    inCluster("discovery: false\n  kubespan: true"),
    "7:3",
    "cluster.kubespan needs cluster.discovery, which exchanges the nodes' keys",
    "remove discovery: false, or kubespan",
  ],
  [
    "a switch that is a word",
    inCluster("kubeletCertificates: on"),
    "6:24",
    "cluster.kubeletCertificates must be true or false, not text",
    "write true",
  ],
  [
    "a time server that is none",
    inNetwork("timeServers: [ntp://pool.ntp.org]"),
    "9:17",
    "network.timeServers[0] is not a time server",
    "write a name or address such as time.cloudflare.com, or a clock device such as /dev/ptp0",
  ],
  [
    "packets too large",
    inNetwork("mtu: 90000"),
    "9:8",
    "network.mtu must be from 576 to 9216",
    "write a whole number such as 9000",
  ],
  [
    "a proxy without an address",
    inNetwork("proxy: { except: [a.b] }"),
    "9:10",
    "network.proxy has neither http nor https",
    "add http or https, such as https: http://proxy.home.arpa:3128",
  ],
  [
    "a proxy with a password",
    inNetwork("proxy: { https: http://me:hunter2@proxy:3128 }"),
    "9:19",
    "network.proxy.https must not contain a user or password",
    "let the proxy identify the nodes by their addresses, or set it with a patch",
  ],
  [
    "an exception that is none",
    inNetwork("proxy: { https: http://proxy:3128, except: [http://a] }"),
    "9:47",
    "network.proxy.except[0] is not a name, an address or a network",
    "write one such as registry.home.arpa, .home.arpa or 10.0.0.0/8",
  ],
];

toldAlone(cases);

test("problems in the defaults are reported at the defaults", () => {
  const { config } = load(changed({ "nodes:": "defaults: { worker: { labels: { tier: general }, gpu: nvidia } }\nnodes:" }));
  expect(config.nodes.map(({ labels, gpu }) => [labels, gpu])).toEqual([
    [{}, undefined],
    [{ tier: "general" }, "nvidia"],
    [{ tier: "general" }, "nvidia"],
  ]);
});

test("warns about reserved Kubernetes labels on workers, whose kubelets may not set them", () => {
  const labels =
    '{ node-role.kubernetes.io/worker: "", topology.kubernetes.io/zone: a, node.kubernetes.io/x: y, example.com/secret: enabled }';
  const { warnings, config } = load(changed({ "nodes:": `defaults: { all: { labels: ${labels} } }\nnodes:` }));
  expect(warnings.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`)).toEqual([
    "14:30 defaults.all.labels.node-role.kubernetes.io/worker is a label Kubernetes does not let a worker give itself",
  ]);
  expect(config.nodes[0]?.labels["node-role.kubernetes.io/worker"]).toBe("");
});

test("a label is never treated as a secret", () => {
  const redactor = new Redactor();
  load(changed(onNode("labels: { secrets-store: enabled }")), {}, redactor);
  expect(redactor.text("flannel is enabled")).toBe("flannel is enabled");
});

test("an extension from two places is in the image once", () => {
  const config = changed({
    "proxmox:\n": "image: { extensions: [siderolabs/zfs], kernelArgs: [quiet] }\nproxmox:\n",
    ...onNode("extensions: [siderolabs/zfs, siderolabs/amd-ucode]\n    kernelArgs: [quiet, nosmt]"),
  });
  expect(
    load(config)
      .config.nodes.map(({ image }) => image)
      .slice(0, 2),
  ).toEqual([
    { extensions: ["siderolabs/amd-ucode", "siderolabs/zfs"], kernelArgs: ["quiet", "nosmt"] },
    { extensions: ["siderolabs/zfs"], kernelArgs: ["quiet"] },
  ]);
});
