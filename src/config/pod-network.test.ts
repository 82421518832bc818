import { expect, test } from "vitest";
import { podNetwork } from "./pod-network.ts";
import { changed, loadMetal, METAL } from "./testing/config-in-memory.ts";

const of = (cni: string, more = "") =>
  podNetwork(loadMetal(changed({ "talos: v1.13.9": `talos: v1.13.9\n  cni: ${cni}`, "nodes:": `${more}nodes:` }, METAL)).config);
const manifest = (kind: string) =>
  `addons: { manifests: [{ inline: { apiVersion: apps/v1, kind: ${kind}, metadata: { name: a, namespace: kube-system } } }] }\n`;
const patch = (text: string) => `patches: { controlplane: [{ cluster: ${text} }] }\n`;

test.each([
  ["flannel", "", "ours"],
  ["cilium", "", "ours"],
  ["none", "", "left"],
  ["none", "addons: { metricsServer: {} }\n", "left"],
  ["none", manifest("ConfigMap"), "left"],
  ["none", manifest("DaemonSet"), "brought"],
  [
    "none",
    "addons: { charts: [{ name: calico, chart: tigera-operator, repository: 'https://docs.tigera.io/calico/charts', version: 3.30.0 }] }\n",
    "brought",
  ],
  ["none", patch("{ network: { cni: { name: custom, urls: ['https://example.org/cni.yaml'] } } }"), "brought"],
  ["none", patch("{ extraManifests: ['https://example.org/cni.yaml'] }"), "brought"],
  ["none", patch('{ inlineManifests: [{ name: cni, contents: "kind: DaemonSet" }] }'), "brought"],
  ["none", patch('{ inlineManifests: [{ name: hello, contents: "kind: ConfigMap" }] }'), "left"],
])("cni %s with %s: the pod network is %s", (cni, more, network) => {
  expect(of(cni, more)).toBe(network);
});
