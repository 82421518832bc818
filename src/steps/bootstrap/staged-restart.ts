import type { NodeConfig } from "../../config/config.ts";
import type { Write } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Maintenance } from "../../maintenance/maintenance.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { runningOn } from "../../talos/health/running-node.ts";
import type { WantedConfigs } from "../generate/wanted-configs.ts";
import { stageConfig, type Trial } from "./apply-config.ts";
import { configFor } from "./node-config.ts";

export interface StagedRestartSpec {
  env: Environment;
  talos: TalosNodes;
  wanted: WantedConfigs;
  trial: Trial;
}

/** Maintenance for machines that restart for other reasons: a new config that needs a reboot is stored first, so that one restart is enough. */
export function withStagedConfigs(maintenance: Maintenance, { env, talos, wanted, trial }: StagedRestartSpec): Maintenance {
  const stage = async (node: NodeConfig, c: Write): Promise<void> => {
    const answering = await runningOn(c, talos, env.config, node);
    if (answering.is !== "ours") return;
    const { running } = answering.answer;
    await stageConfig({ node, talos, trial }, configFor(wanted.of(node, c), node, answering.answer), running, c);
  };
  return {
    ...maintenance,
    restart: (node, c, { prepare, act }) =>
      maintenance.restart(node, c, {
        act,
        prepare: async () => {
          await prepare?.();
          const configured = env.config.nodes.find(({ name }) => name === node.name);
          if (act && configured) await stage(configured, c);
        },
      }),
  };
}
