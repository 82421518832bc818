import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REGISTRY_PORT } from "../talos-node/environment.js";
import { GATEWAY } from "../talos-node/network.js";
import { TALOS } from "../talos-node/sources.js";

export const NODE = { name: "cp-1", role: "controlplane", address: "10.10.0.11", mac: "02:00:0A:0A:00:11" };

/** Writes the environment's config: one node, which takes pods. Its card counts as a physical one, unlike one of a namespace. */
export function writeConfig(environment, { labels, patch } = {}) {
  const mirror = { mirrors: `http://${GATEWAY}:${REGISTRY_PORT}`, skipFallback: true };
  const { name, role, address, mac } = NODE;
  const config = {
    platform: "metal",
    cluster: { name: "real", endpoint: address, talos: TALOS },
    network: { cidr: "10.10.0.0/24", gateway: GATEWAY },
    registries: { "registry.k8s.io": mirror, "ghcr.io": mirror },
    nodes: [{ name, role, ip: address, mac, ...(labels && { labels }) }],
    ...(patch && { patches: { all: [patch] } }),
  };
  mkdirSync(environment, { recursive: true });
  // JSON is YAML, too.
  writeFileSync(join(environment, "config.yaml"), JSON.stringify(config, null, 2));
}
