import { remoteError, userError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../../config/config.ts";
import { type Field, type Ref, type Step, step } from "../../../engine/step.ts";
import type { Environment } from "../../../environment/environment.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import { assetPath } from "../../../talos/image/image.ts";
import { schematicId } from "../../../talos/image/schematic.ts";
import { isWaiting, wipeMachine } from "../../machine-reset.ts";
import type { MachineFacts } from "../../platform.ts";
import { installationOf } from "../installation.ts";

const WIPED: Field = { path: "disk", from: "config and data", to: "wiped" };

export const machineStepId = (node: string) => `machine/${node}`;

interface Found extends MachineFacts {
  /** `node replace` wants another installation than the one it has. */
  isDiscarded?: true;
}

/**
 * A machine that should be there already. Nothing can be done about one that is not, except to say it before anything is begun. `schematic`: what
 * makes sure that its installer exists, while it still needs one.
 */
export function machine(
  env: Environment,
  node: NodeConfig,
  talos: TalosNodes,
  schematic: Ref<unknown> | undefined,
): Step<Found, MachineFacts> {
  const id = machineStepId(node.name);
  const subject = `machine ${node.name}`;
  const place = { name: node.name, address: node.ip };
  return step<Found, MachineFacts>({
    id,
    stage: "provision",
    title: subject,
    needs: schematic ? [schematic] : [],
    observe: async (c) => {
      const answering = await talos.probe(node.ip, c.signal);
      if (answering.is === "silent") return { is: "unreadable", why: silent(env, node, answering.why) };
      const arch = answering.is === "waiting" ? await talos.waiting(node.ip, answering.key).arch(c.signal) : undefined;
      if (arch !== undefined && arch !== env.config.image.arch) return { is: "unreadable", why: otherArch(env, node, arch) };
      const isDiscarded =
        node.discards !== undefined && answering.is === "ours" && (await installationOf(talos, node, c)) === node.discards;
      const facts = { address: node.ip, ...(node.mac && { mac: node.mac }) };
      return { is: "present", actual: { ...facts, ...(isDiscarded && { isDiscarded }) }, owner: "us" };
    },
    plan: (seen) =>
      "is" in seen && seen.is === "present" && seen.actual.isDiscarded
        ? [{ id, step: id, verb: "replace", subject, fields: [WIPED], needsConsent: node.name }]
        : [],
    apply: (_, c) => wipeMachine(place, talos, false, c),
    settle: [isWaiting(place, talos)],
    output: ({ isDiscarded: _, ...facts }) => facts,
  });
}

function silent(env: Environment, node: NodeConfig, why: string) {
  const where = env.where(["nodes", node.name, "ip"]);
  return remoteError("MACHINE_SILENT", {
    message: `No Talos API answers at ${node.ip}, the address of ${node.name}`,
    detail: why,
    hint: `boot it from ${iso(env, node)} (its console shows its address), or correct nodes[].ip of ${node.name}; a worker with a config answers only while a control plane runs`,
    ...(where && { where }),
  });
}

function otherArch(env: Environment, node: NodeConfig, arch: string) {
  const where = env.where(["image", "arch"]);
  return userError("WRONG_ARCHITECTURE", {
    message: `The machine at ${node.ip}, the address of ${node.name}, is ${arch}, but the config says ${env.config.image.arch}`,
    hint: `set image.arch: ${arch}, or correct nodes[].ip of ${node.name}`,
    ...(where && { where }),
  });
}

/** The ISO for maintenance mode: any Talos works, because the installation brings the configured image. */
function iso({ config: { image, cluster } }: Environment, node: NodeConfig): string {
  const { arch, secureboot, factory } = image;
  const asset = { talos: cluster.talos, platform: "metal", arch, secureboot, format: "iso" } as const;
  return `${factory}${assetPath(node.image.schematic ?? schematicId({}), asset)}`;
}
