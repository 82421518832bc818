import type { AnyStep } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Maintenance } from "../../maintenance/maintenance.ts";
import type { Inventory, Platform } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { WantedConfigs } from "../generate/wanted-configs.ts";
import type { Trial } from "./apply-config.ts";
import { nodeConfig } from "./node-config.ts";

/** The config steps of all nodes. A worker answers only when a control plane has signed its certificate, so control planes come first. */
export function nodeConfigs(given: {
  env: Environment;
  platform: Platform;
  talos: TalosNodes;
  maintenance: Maintenance;
  trial: Trial;
  found: Inventory;
  wanted: WantedConfigs;
}): AnyStep[] {
  const { env, platform, talos, maintenance, found, wanted, trial } = given;
  const of = (role: string) => env.config.nodes.filter((node) => node.role === role);
  const shared = { env, talos, maintenance, found, wanted, trial };
  const controlPlanes = of("controlplane").map((node) =>
    nodeConfig({ ...shared, node, machine: platform.machine(node.name), after: [] }),
  );
  const after = controlPlanes.map((one) => one.out);
  const workers = of("worker").map((node) => nodeConfig({ ...shared, node, machine: platform.machine(node.name), after }));
  return [...controlPlanes, ...workers];
}
