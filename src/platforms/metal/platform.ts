import type { ConfigOnMetal, NodeConfig } from "../../config/config.ts";
import type { Ref, Step, WorkItem } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Meter } from "../../lib/http/client.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { isPlainTalos, nodeSchematic } from "../../talos/image/image.ts";
import type { Inventory, Owned, Platform } from "../platform.ts";
import { machine, machineStepId } from "./steps/machine.ts";
import { machineReset } from "./steps/machine-reset.ts";
import { schematicAtFactory } from "./steps/schematic-at-factory.ts";

/**
 * Machines somebody else has started, each waiting in maintenance mode at its address. There is no list of them anywhere but in the config:
 * ours are those that have a config of this cluster.
 */
export function metalPlatform(env: Environment<ConfigOnMetal>, talos: TalosNodes): Platform {
  const { nodes } = env.config;
  const meter: Meter = { calls: 0, bytes: 0 };
  return {
    inventory: async (environment, c) => {
      const there = new Set(nodes.map((node) => node.name));
      if (environment === undefined) return { environment, owned: [], there, foreign: [] };
      const answers = await Promise.all(nodes.map(async (node) => ({ node, answering: await talos.probe(node.ip, c.signal) })));
      const owned = answers.flatMap(({ node, answering }): Owned[] => (answering.is === "ours" ? [ownedOf(node)] : []));
      return { environment, owned, there, foreign: [] };
    },
    steps: (stage, found): WorkItem[] => {
      if (stage !== "image" && stage !== "provision") return [];
      const schematics = schematicsOf(env, meter, found);
      if (stage === "image") return [...new Set(schematics.values())];
      return nodes.map((node) => machine(env, node, talos, schematics.get(node.name)?.out as Ref<unknown> | undefined));
    },
    examination: () => [],
    mac: (name) => nodes.find((node) => node.name === name)?.mac,
    machine: (node) => ({ step: machineStepId(node) }),
    removal: (one) => [machineReset(one, talos)],
    calls: () => meter.calls,
    close: () => {},
  };
}

function ownedOf({ name, ip, role }: NodeConfig): Owned {
  return {
    name,
    subject: `machine ${name}`,
    where: `metal at ${ip}`,
    role,
    address: ip,
    state: "running",
    bootstrapped: false,
    detail: {},
  };
}

/** What makes sure of the schematic of each node that is still to be installed. Every factory knows the empty one. */
function schematicsOf(env: Environment<ConfigOnMetal>, meter: Meter, found: Inventory): Map<string, Step<string, string>> {
  const { nodes, image, cluster } = env.config;
  const factory = { address: image.factory, meter };
  const made = new Map<string, Step<string, string>>();
  const byNode = new Map<string, Step<string, string>>();
  for (const node of nodes) {
    if (isPlainTalos(node.image) || found.owned.some((one) => one.name === node.name)) continue;
    const schematic = nodeSchematic(cluster.talos, node.image);
    const step =
      made.get(schematic.id) ?? schematicAtFactory(env, factory, schematic, env.where(["nodes", node.name, "extensions"]));
    made.set(schematic.id, step);
    byNode.set(node.name, step);
  }
  return byNode;
}
