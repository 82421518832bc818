import type { ProxmoxNodeConfig } from "../../../config/config.ts";
import { plainNode } from "../../../config/testing/plain-node.ts";

/** A worker of a middling size, with whatever a test says differently. */
export function testNode(own: Partial<ProxmoxNodeConfig>): ProxmoxNodeConfig {
  return {
    ...plainNode({ name: "worker-1", role: "worker", ip: "10.10.0.21" }),
    cores: 4,
    memoryMiB: 8192,
    diskGiB: 40,
    cpu: "host",
    tags: [],
    onboot: true,
    bridge: "vmbr0",
    storage: "local-lvm",
    ...own,
  };
}
