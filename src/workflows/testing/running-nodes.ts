import { changed, loadMetal, METAL } from "../../config/testing/config-in-memory.ts";
import type { Environment } from "../../environment/environment.ts";
import { configsFrom } from "../../steps/generate/wanted-configs.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { testBundle } from "../../talos/config/testing/test-bundle.ts";
import { schematicOf } from "../../talos/image/image.ts";

/* The nodes of a cluster that was made from one config, seen with another. Names: METAL has cp, worker-1 and worker-2. */

const { secrets } = testBundle().input;

export function environment(changes: Record<string, string> = {}): Environment {
  const { config, where } = loadMetal(changed(changes, METAL));
  return { folder: "/e", shown: "e", config, warnings: [], where };
}

export const configsOf = (env: Environment) => configsFrom(env, { mac: () => undefined }, secrets);

export interface Running {
  /** The release each node really runs; that of the config it was made from when nothing is said. */
  versions?: Record<string, string>;
  extensions?: Record<string, readonly string[]>;
  silent?: readonly string[];
}

/** The nodes as they answer when `made` is what they were made from. */
export function nodesOf(made: Environment, { versions = {}, extensions = {}, silent = [] }: Running): TalosNodes {
  const configs = configsOf(made);
  const ask: TalosNodes["ask"] = async (address, question) => {
    const node = made.config.nodes.find(({ ip }) => ip === address);
    if (node === undefined || silent.includes(node.name)) return { is: "silent", why: "no answer" };
    const names = [...(extensions[node.name] ?? node.image.extensions), "schematic"].map((name) => name.split("/").at(-1));
    const api = {
      version: async () => ({ version: versions[node.name] ?? made.config.cluster.talos, platform: "metal", mode: "metal" }),
      machineConfigs: async () => ({ running: configs.of(node), stored: configs.of(node) }),
      resources: async () =>
        names.map((name, index) => ({
          id: String(index),
          version: "1",
          phase: "running",
          spec: { metadata: { name, version: name === "schematic" ? schematicOf(node.image) : "1" } },
        })),
    } as unknown as TalosNode;
    return { is: "ours", answer: await question(api) };
  };
  return { ask } as unknown as TalosNodes;
}
