import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { plainMachine } from "../config/testing/plain-machine.ts";

/** A worker of medium size, with a test's own settings. */
export function testNode(own: Partial<ProxmoxNodeConfig>): ProxmoxNodeConfig {
  return plainMachine({ name: "worker-1", role: "worker", ip: "10.10.0.21", memory: 8192, disk: 40, ...own });
}
