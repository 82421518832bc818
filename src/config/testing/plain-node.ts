import type { NodeConfig } from "../config.ts";

/** The resolved settings of a node with only an address, so that tests name only what they are about. */
export function plainNode(own: Partial<NodeConfig> & Pick<NodeConfig, "name" | "role" | "ip">): NodeConfig {
  return {
    nics: [],
    image: { extensions: [], kernelArgs: [] },
    labels: {},
    annotations: {},
    taints: {},
    sysctls: {},
    kernelModules: [],
    kubeletMounts: [],
    volumes: [],
    patches: [],
    ...own,
  };
}
