import { expect, test } from "vitest";
import { nocloudImage } from "../../talos/image/image.ts";
import type { ProxmoxImageConfig, ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import type { Site } from "./site.ts";
import { sourcesOf } from "./sources.ts";
import { testNode } from "./testing/test-node.ts";

// Nothing built in, and the guest agent (docs/facts/talos.md#schematics).
const PLAIN = "talos-v1.13.9-amd64-37656798";
const AGENT = "talos-v1.13.9-amd64-ce4c9805";
const agent = { extensions: ["siderolabs/qemu-guest-agent"], kernelArgs: [] };

function sources(method: ProxmoxImageConfig["method"], nodes: readonly ProxmoxNodeConfig[], homes: Record<string, string>) {
  const image = { method, factory: "https://factory.talos.dev", arch: "amd64", secureboot: false } as const;
  const config = { image, proxmox: { storage: { images: "local", disks: "local-lvm" } } };
  const env = { config, where: () => undefined };
  const site = { env, imageOf: (node: ProxmoxNodeConfig) => nocloudImage("v1.13.9", image, node.image) };
  return sourcesOf(site as unknown as Site, nodes, new Map(Object.entries(homes)));
}

const cp = testNode({ name: "cp-1", role: "controlplane" });
const worker = testNode({ name: "worker-1" });
const gpu = testNode({ name: "gpu-1", image: agent });

test("nodes with equal settings share the image on their host", () => {
  const { steps, of } = sources("import", [cp, worker], { "cp-1": "pve1", "worker-1": "pve1" });
  expect(steps.map(({ id }) => id)).toEqual([`image/pve1/${PLAIN}`]);
  expect(of("cp-1")).toEqual(of("worker-1"));
});

test("a host fetches only what its machines are made from", () => {
  const { steps, of } = sources("import", [cp, worker, gpu], { "cp-1": "pve1", "worker-1": "pve2", "gpu-1": "pve2" });
  expect(steps.map(({ id }) => id)).toEqual([`image/pve1/${PLAIN}`, `image/pve2/${PLAIN}`, `image/pve2/${AGENT}`]);
  expect(of("gpu-1")).toEqual({ method: "import", ref: { step: `image/pve2/${AGENT}` } });
  expect(of("worker-1")).toEqual({ method: "import", ref: { step: `image/pve2/${PLAIN}` } });
});

test("a template is made for every schematic on every storage, from the image on the same host", () => {
  const other = testNode({ name: "worker-2", storage: "ceph" });
  const homes = { "worker-1": "pve1", "gpu-1": "pve1", "worker-2": "pve1" };
  const { steps, of } = sources("template", [worker, gpu, other], homes);
  expect(steps.map(({ id }) => id)).toEqual([
    `image/pve1/${PLAIN}`,
    `image/pve1/${AGENT}`,
    `template/pve1/local-lvm/${PLAIN}`,
    `template/pve1/local-lvm/${AGENT}`,
    `template/pve1/ceph/${PLAIN}`,
  ]);
  expect(steps[3]?.needs).toEqual([{ step: `image/pve1/${AGENT}` }]);
  expect(of("gpu-1")).toEqual({ method: "template", ref: { step: `template/pve1/local-lvm/${AGENT}` } });
});

test("a node that is not to be made needs nothing", () => {
  const { steps, of } = sources("import", [gpu], { "cp-1": "pve1", "gpu-1": "pve1" });
  expect(steps).toHaveLength(1);
  expect(of("cp-1")).toBeUndefined();
});
