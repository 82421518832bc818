import type { Environment } from "../../../../environment/environment.ts";
import type { ConfigOnVps, VpsNodeConfig } from "../../config/config-on-vps.ts";
import { plainVpsNode } from "../../config/testing/plain-node.ts";

export const ADMIN = "198.51.100.0/24";

/** Two control planes and a worker, as far as providers look at them. */
export const NODES: readonly VpsNodeConfig[] = [
  plainVpsNode({ name: "cp-1", role: "controlplane", ip: "203.0.113.11" }),
  plainVpsNode({ name: "cp-2", role: "controlplane", ip: "203.0.113.12" }),
  plainVpsNode({ name: "worker-1", role: "worker", ip: "203.0.113.21" }),
];

export function vpsConfig(own: Partial<ConfigOnVps> = {}): ConfigOnVps {
  return {
    platform: "vps",
    vps: {},
    cluster: { name: "life", talos: "v1.13.9", cni: "flannel", podSubnets: ["10.244.0.0/16"], kubespan: false },
    network: { nameservers: ["1.1.1.1"], via: "direct", timeServers: [] },
    firewall: { admin: [ADMIN], open: [] },
    nodes: NODES,
    ...own,
  } as ConfigOnVps;
}

export function vpsEnvironment(config: ConfigOnVps): Environment<ConfigOnVps> {
  return {
    folder: "/life",
    shown: "life",
    config,
    warnings: [],
    where: (path) => ({ file: path.join("."), line: 1, column: 1 }),
  };
}
