import { remoteError, userError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../../config/config.ts";
import { type Ref, type Step, step } from "../../../engine/step.ts";
import type { Environment } from "../../../environment/environment.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import { assetPath } from "../../../talos/image/image.ts";
import { schematicId } from "../../../talos/image/schematic.ts";
import type { MachineFacts } from "../../platform.ts";

export const machineStepId = (node: string) => `machine/${node}`;

/**
 * A machine that should be there already. Nothing can be done about one that is not, except to say it before anything is begun. `schematic`: what
 * makes sure that its installer exists, while it still needs one.
 */
export function machine(
  env: Environment,
  node: NodeConfig,
  talos: TalosNodes,
  schematic: Ref<unknown> | undefined,
): Step<MachineFacts, MachineFacts> {
  return step({
    id: machineStepId(node.name),
    stage: "provision",
    title: `machine ${node.name}`,
    needs: schematic ? [schematic] : [],
    observe: async (c) => {
      const answering = await talos.probe(node.ip, c.signal);
      if (answering.is === "silent") return { is: "unreadable", why: silent(env, node, answering.why) };
      const arch = answering.is === "waiting" ? await talos.waiting(node.ip, answering.key).arch(c.signal) : undefined;
      if (arch !== undefined && arch !== env.config.image.arch) return { is: "unreadable", why: otherArch(env, node, arch) };
      return { is: "present", actual: { address: node.ip, ...(node.mac && { mac: node.mac }) }, owner: "us" };
    },
    plan: () => [],
    apply: async () => {},
    output: (facts) => facts,
  });
}

function silent(env: Environment, node: NodeConfig, why: string) {
  const where = env.where(["nodes", node.name, "ip"]);
  return remoteError("MACHINE_SILENT", {
    message: `Nobody answers the Talos API at ${node.ip}, where ${node.name} should be`,
    detail: why,
    hint: `boot it from ${iso(env, node)} (its console shows the address it got), or correct nodes[].ip of ${node.name}; a worker that has its config already answers only while a control plane runs`,
    ...(where && { where }),
  });
}

function otherArch(env: Environment, node: NodeConfig, arch: string) {
  const where = env.where(["image", "arch"]);
  return userError("WRONG_ARCHITECTURE", {
    message: `The machine at ${node.ip}, where ${node.name} should be, is ${arch}; the config says ${env.config.image.arch}`,
    hint: `set image.arch: ${arch}, or correct nodes[].ip of ${node.name}`,
    ...(where && { where }),
  });
}

/** To wait for a config any Talos will do; what the config wants built in comes with its installation. */
function iso({ config: { image, cluster } }: Environment, node: NodeConfig): string {
  const { arch, secureboot, factory } = image;
  const asset = { talos: cluster.talos, platform: "metal", arch, secureboot, format: "iso" } as const;
  return `${factory}${assetPath(node.image.schematic ?? schematicId({}), asset)}`;
}
