import { internalError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Change, Read, Ref, WorkItem } from "../../engine/step.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { factoryHasImages } from "../factory-has-images.ts";
import { machineReset } from "../machine-reset.ts";
import type { FirstConfigs, Owned, Platform } from "../platform.ts";
import { schematicsAtFactory } from "../schematic-at-factory.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import { notToldGone } from "./problems.ts";
import { adviceCheck, outsideCheck } from "./providers/providers.ts";
import { rescueCheck } from "./rescue-check.ts";
import { machineStepId } from "./server.ts";
import { openSite, type Site } from "./site.ts";
import { machine, whoAnswers } from "./steps/machine.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/**
 * Rented servers, each overwritten with Talos through its rescue system. Only the config lists them: a server belongs to this cluster when it answers
 * as one of its nodes.
 */
export function vpsPlatform(world: World, env: VpsEnvironment, talos: TalosNodes): Platform {
  return platformOf(openSite(world, env, talos));
}

export function platformOf(site: Site): Platform {
  const { env, provider, talos, records } = site;
  const { nodes } = env.config;
  const wasMade = ({ world }: Read, name: string) => ["starting", "all"].includes(records.history(world, name).is);
  return {
    inventory: async (environment, c) => {
      const answers = await Promise.all(nodes.map(async (node) => ({ node, ...(await whoAnswers(site, node, c)) })));
      return {
        environment,
        owned: answers.flatMap(({ node, is }) => (is === "ours" ? [ownedOf(node)] : [])),
        unseen: answers.flatMap(({ node, is }) => (is === "silent" && wasMade(c, node.name) ? [ownedOf(node)] : [])),
        there: new Set(answers.flatMap(({ node, is }) => (is === "silent" ? [] : [node.name]))),
        foreign: [],
      };
    },
    steps: (stage, found, provisioning): WorkItem[] => {
      if (stage !== "image" && stage !== "provision") return [];
      const schematics = schematicsAtFactory(env, site.meter, found);
      if (stage === "image") return [...new Set(schematics.values())];
      const established = found.environment !== undefined;
      const guarded = provider?.firewall.ready() ?? [];
      const after = (node: VpsNodeConfig): Ref<unknown>[] => [...refOf(schematics.get(node.name)), ...guarded];
      return [
        ...(provider?.firewall.steps() ?? []),
        ...nodes.map((node) =>
          machine({ site, node, configs: provisioning?.configs ?? NO_CONFIGS, after: after(node), established }),
        ),
      ];
    },
    checks: (found) => {
      const missing = nodes.filter(({ name }) => !found.there.has(name));
      const before = ({ step }: Change) => /^(?:image|machine)\//.test(step);
      return [
        ...factoryHasImages(env, site.meter, { nodes: missing, before, silence: "fail" }),
        rescueCheck(site, found),
        adviceCheck(env, found),
        outsideCheck(env, found),
      ];
    },
    mac: (name, _, card) => {
      const node = nodes.find((one) => one.name === name);
      return card === 0 ? node?.mac : node?.nics[card - 1]?.mac;
    },
    machine: (node) => ({ step: machineStepId(node) }),
    removal: (one) => [
      // A config volume that is still on the disk would make the server a node again. After the reset its record no longer describes the server.
      machineReset(one, talos, {
        whole: true,
        begin: ({ world }) => records.end(world, one.name),
        doubt: (silent, c) => (wasMade(c, one.name) ? notToldGone(env, one, silent) : undefined),
      }),
    ],
    remains: ({ environment }, after) =>
      provider === undefined || environment === undefined ? [] : provider.firewall.removal(environment, after),
    calls: () => site.meter.calls + (provider?.calls() ?? 0),
    close: () => provider?.close(),
  };
}

/** Enough for a plan; writing fails. */
const NO_CONFIGS: FirstConfigs = {
  of: ({ name }) => {
    throw internalError("NO_CONFIGS", { message: `Unable to take over ${name}: there is no machine config for it` });
  },
};

function refOf(step: { out: Ref<unknown> } | undefined): Ref<unknown>[] {
  return step ? [step.out] : [];
}

function ownedOf({ name, ip, role }: VpsNodeConfig): Owned {
  return {
    name,
    subject: `machine ${name}`,
    where: `server at ${ip}`,
    role,
    address: ip,
    state: "running",
    bootstrapped: false,
    detail: {},
  };
}
