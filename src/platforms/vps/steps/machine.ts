import { type Condition, type Read, type Ref, type Seen, type Step, step } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { FirstConfigs, MachineFacts } from "../../platform.ts";
import type { VpsNodeConfig } from "../config/config-on-vps.ts";
import { knownFacts } from "../known-facts.ts";
import { plannedChanges } from "../planned-changes.ts";
import { stranger, unproven } from "../problems.ts";
import { START_LIMIT_MS } from "../records.ts";
import { lookNow, machineStepId, type Server } from "../server.ts";
import { type SilentNode, silentServer } from "../silent-server.ts";
import type { Site } from "../site.ts";
import { overwriteServer } from "./overwrite-server.ts";

export interface MachineWish extends SilentNode {
  configs: FirstConfigs;
  /** The steps before it: its schematic and the provider's firewall. */
  after: readonly Ref<unknown>[];
}

/** A rented server that runs Talos. While Talos answers, nothing logs in to it; otherwise its disk is overwritten through its rescue system. */
export function machine(wish: MachineWish): Step<Server, MachineFacts> {
  const { site, node, after } = wish;
  const id = machineStepId(node.name);
  return step({
    id,
    stage: "provision",
    title: `machine ${node.name}`,
    needs: [environmentId, ...after],
    visibleWithinMs: START_LIMIT_MS,
    observe: async (c): Promise<Seen<Server>> => {
      const answering = await whoAnswers(site, node, c);
      switch (answering.is) {
        case "ours":
          return running({ address: node.ip, ...(node.mac !== undefined && { mac: node.mac }) });
        case "stranger":
          return { is: "unreadable", why: stranger(site.env, node, answering.why) };
        case "waiting": {
          const facts = knownFacts(node, site.records.last(c.world, node.name));
          return facts ? running(facts) : { is: "unreadable", why: unproven(site.env, node) };
        }
        case "silent":
          return { is: "present", actual: await silentServer(wish, answering.why, c), owner: "foreign" };
      }
    },
    plan: (seen) => plannedChanges(site, node, id, seen),
    notes: (seen) => (seen.is === "present" && seen.actual.is === "fit" ? [...seen.actual.notes] : []),
    apply: (changes, c) => overwriteServer(wish, changes, c),
    settle: [answers(site, node)],
    output: (server) => (server.is === "talos" ? server.facts : { address: node.ip }),
  });
}

/** Probes Talos once per pass, for the inventory too. A server that was taken over is probed a second time before it counts as silent. */
export function whoAnswers({ talos, records }: Site, { name, ip }: VpsNodeConfig, c: Read) {
  return c.shared(`Talos at ${ip}`, async () => {
    const first = await talos.probe(ip, c.signal);
    return first.is === "silent" && records.history(c.world, name).is !== "nothing" ? talos.probe(ip, c.signal) : first;
  });
}

const running = (facts: MachineFacts): Seen<Server> => ({ is: "present", actual: { is: "talos", facts }, owner: "us" });

/** Waits until Talos answers. A worker only has to leave its rescue system: the step that applies its config waits for the rest. */
function answers(site: Site, node: VpsNodeConfig): Condition {
  return {
    name: `Talos starts on ${node.name}`,
    timeoutMs: START_LIMIT_MS,
    poll: async (c) => {
      const answering = await site.talos.probe(node.ip, c.signal);
      if (answering.is !== "silent") return true;
      if (node.role === "worker" && (await lookNow(site, node, c)).is === "closed") return true;
      return { reason: answering.why };
    },
  };
}
