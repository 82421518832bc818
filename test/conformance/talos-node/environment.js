import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GATEWAY } from "./network.js";
import { TALOS } from "./sources.js";

export const REGISTRY_PORT = 5000;

export const NODES = [
  { name: "cp-1", role: "controlplane", address: "10.10.0.11", mac: "02:00:0A:0A:00:11" },
  { name: "cp-2", role: "controlplane", address: "10.10.0.12", mac: "02:00:0A:0A:00:12" },
  { name: "cp-3", role: "controlplane", address: "10.10.0.13", mac: "02:00:0A:0A:00:13" },
  { name: "worker-1", role: "worker", address: "10.10.0.21", mac: "02:00:0A:0A:00:21" },
];

/** A second cluster; its endpoint is an address that no node has. */
export const BALANCED = [
  { name: "lb-cp-1", role: "controlplane", address: "10.10.0.31", mac: "02:00:0A:0A:00:31" },
  { name: "lb-worker-1", role: "worker", address: "10.10.0.41", mac: "02:00:0A:0A:00:41" },
];

/**
 * Writes the environment's config. The endpoint is a control plane, because container mode has no floating address. Nodes keep the address that they have:
 * Talos does not count a card of a namespace as a physical one, so with `macs` the product finds none of them.
 */
export function writeConfig(environment, { nodes = NODES, cluster = {}, macs = false, labels, admin } = {}) {
  const mirror = { mirrors: `http://${GATEWAY}:${REGISTRY_PORT}`, skipFallback: true };
  const config = {
    platform: "metal",
    cluster: { name: "real", endpoint: nodes[0].address, talos: TALOS, ...cluster },
    network: { cidr: "10.10.0.0/24", gateway: GATEWAY },
    registries: { "registry.k8s.io": mirror, "ghcr.io": mirror },
    nodes: nodes.map(({ name, role, address, mac }) => ({ name, role, ip: address, ...(macs && { mac }) })),
    ...(labels && { defaults: { all: { labels } } }),
    ...(admin && { firewall: { admin } }),
  };
  mkdirSync(environment, { recursive: true });
  // JSON is YAML, too.
  writeFileSync(join(environment, "config.yaml"), JSON.stringify(config, null, 2));
}
