import { plainNode } from "../../../../config/testing/plain-node.ts";
import type { VpsNodeConfig } from "../config-on-vps.ts";

/** A rented server that says nothing of itself but where it is. */
export function plainVpsNode(own: Partial<VpsNodeConfig> & Pick<VpsNodeConfig, "name" | "role" | "ip">): VpsNodeConfig {
  return {
    ...plainNode({ ...own, image: { extensions: [], kernelArgs: ["talos.config=metal-iso"] } }),
    prefix: 24,
    gateway: "203.0.113.1",
    onlyCard: true,
    ssh: { host: own.ip, port: 22, user: "root", firstKey: false },
    eraseMembers: false,
    ...own,
  };
}
