import { hasCode } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Write } from "../../engine/step.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import { effectOf, withReachOf } from "../../talos/config/effect.ts";
import type { MachineConfig } from "../../talos/config/machine-config.ts";
import { tryOut } from "./trial.ts";

/** Shared by all nodes of a run: a network that cuts off one node would cut off the next. */
export interface Trial {
  /** The first node that could not be reached with its new network. */
  cutOff?: string;
}

export interface Target {
  node: NodeConfig;
  talos: TalosNodes;
  trial: Trial;
}

/**
 * Applies a new config to a running node if no reboot is needed. False when it needs one; then nothing is stored yet. Changes that could make the node
 * unreachable are tried first: Talos reverts them unless the node is still reachable.
 */
export async function applyLive(target: Target, config: MachineConfig, running: MachineConfig, c: Write): Promise<boolean> {
  const { reboot, reach } = effectOf(configDifferences(config, running));
  if (reboot.length > 0) return false;
  if (reach.length > 0) {
    await tryOut(target, config, reach, c, (api) => applyTo(api, target.node.name, config, "no-reboot", c));
    return true;
  }
  try {
    await applyTo(target.talos.node(target.node.ip), target.node.name, config, "no-reboot", c);
    return true;
  } catch (error) {
    // The node decides whether a reboot is needed: a newer release may have other rules.
    if (hasCode(error, "TALOS_NEEDS_REBOOT")) return false;
    throw error;
  }
}

/** Stores a config for the next boot if it needs one; its network is tried first. Stores nothing when no reboot is needed. */
export async function stageConfig(target: Target, config: MachineConfig, running: MachineConfig, c: Write): Promise<void> {
  const { reboot } = effectOf(configDifferences(config, running));
  if (reboot.length > 0) await stageAnyway(target, config, running, c);
}

export async function stageAnyway(target: Target, config: MachineConfig, running: MachineConfig, c: Write): Promise<void> {
  const { node, talos } = target;
  const { reach } = effectOf(configDifferences(config, running));
  if (reach.length > 0) {
    const tried = withReachOf(running, config);
    await tryOut(target, tried, reach, c, (api) => applyTo(api, node.name, tried, "no-reboot", c));
  }
  await applyTo(talos.node(node.ip), node.name, config, "staged", c);
}

async function applyTo(
  api: TalosNode,
  name: string,
  config: MachineConfig,
  mode: "no-reboot" | "staged",
  c: Write,
): Promise<void> {
  c.say(mode === "staged" ? "storing the new config" : "applying the new config");
  await c.mutate({ key: `node ${name}`, what: `apply the config of ${name}` }, async () => {
    const { warnings } = await api.apply(config, mode, c.signal);
    return { warnings: [...warnings] };
  });
}
