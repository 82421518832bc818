import type { ConfigOnMetal } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { Owned, Platform } from "../platform.ts";
import { machine, machineStepId } from "./steps/machine.ts";
import { machineReset } from "./steps/machine-reset.ts";

/**
 * Machines somebody else has started, each waiting in maintenance mode at its address. There is no list of them anywhere but in the config:
 * ours are those that have a config of this cluster.
 */
export function metalPlatform(env: Environment<ConfigOnMetal>, talos: TalosNodes): Platform {
  const { nodes } = env.config;
  return {
    inventory: async (environment, c) => {
      const there = new Set(nodes.map((node) => node.name));
      if (environment === undefined) return { environment, owned: [], there, foreign: [] };
      const answers = await Promise.all(nodes.map(async (node) => ({ node, answering: await talos.probe(node.ip, c.signal) })));
      const owned = answers.flatMap(({ node, answering }): Owned[] =>
        answering.is === "ours"
          ? [
              {
                name: node.name,
                subject: `machine ${node.name}`,
                where: `metal at ${node.ip}`,
                role: node.role,
                address: node.ip,
                state: "running",
                bootstrapped: false,
                detail: {},
              },
            ]
          : [],
      );
      return { environment, owned, there, foreign: [] };
    },
    steps: (stage) => (stage === "provision" ? nodes.map((node) => machine(env, node, talos)) : []),
    mac: (name) => nodes.find((node) => node.name === name)?.mac,
    machine: (node) => ({ step: machineStepId(node) }),
    removal: (one) => [machineReset(one, talos)],
    calls: () => 0,
    close: () => {},
  };
}
