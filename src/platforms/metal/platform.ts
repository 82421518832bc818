import type { Meter } from "@talosmith/lib/http/client.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Change, Ref, WorkItem } from "../../engine/step.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { factoryHasImages } from "../factory-has-images.ts";
import { machineReset } from "../machine-reset.ts";
import type { Owned, Platform } from "../platform.ts";
import { schematicsAtFactory } from "../schematic-at-factory.ts";
import { installationIfKnown } from "./installation.ts";
import type { MetalEnvironment } from "./metal-environment.ts";
import { machine, machineStepId } from "./steps/machine.ts";

/**
 * Existing machines that the user started, each waiting in maintenance mode at its address. There is no list of them anywhere but in the config:
 * ours are those that have a config of this cluster.
 */
export function metalPlatform(env: MetalEnvironment, talos: TalosNodes): Platform {
  const { nodes } = env.config;
  const meter: Meter = { calls: 0, bytes: 0 };
  return {
    inventory: async (environment, c) => {
      const there = new Set(nodes.map((node) => node.name));
      if (environment === undefined) return { environment, owned: [], there, foreign: [] };
      const answers = await Promise.all(nodes.map(async (node) => ({ node, answering: await talos.probe(node.ip, c.signal) })));
      const owned = await Promise.all(
        answers
          .filter(({ answering }) => answering.is === "ours")
          .map(async ({ node }) => ownedOf(node, await installationIfKnown(talos, node, c))),
      );
      const silent = answers.flatMap(({ node, answering }) => (answering.is === "silent" ? [node.name] : []));
      return { environment, owned, there, foreign: [], silent };
    },
    steps: (stage, found): WorkItem[] => {
      if (stage !== "image" && stage !== "provision") return [];
      const schematics = schematicsAtFactory(env, meter, found);
      if (stage === "image") return [...new Set(schematics.values())];
      return nodes.map((node) => machine(env, node, talos, schematics.get(node.name)?.out as Ref<unknown> | undefined));
    },
    checks: ({ owned }) => {
      const waiting = nodes.filter(({ name }) => !owned.some((one) => one.name === name));
      const before = ({ step }: Change) => /^(?:image|bootstrap)\//.test(step);
      return factoryHasImages(env, meter, { nodes: waiting, before, silence: "warn" });
    },
    mac: (name) => nodes.find((node) => node.name === name)?.mac,
    machine: (node) => ({ step: machineStepId(node) }),
    removal: (one) => [machineReset(one, talos, { whole: false })],
    calls: () => meter.calls,
    close: () => {},
  };
}

function ownedOf({ name, ip, role, discards }: NodeConfig, instance: string | undefined): Owned {
  return {
    name,
    ...(instance !== undefined && { instance }),
    ...(instance !== undefined && instance === discards && { remade: true }),
    subject: `machine ${name}`,
    where: `metal at ${ip}`,
    role,
    address: ip,
    state: "running",
    bootstrapped: false,
    detail: {},
  };
}
