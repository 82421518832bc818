import type { NodeConfig } from "../config.ts";

/** What a node has that says nothing of itself but where it is; tests write down only what they are about. */
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
