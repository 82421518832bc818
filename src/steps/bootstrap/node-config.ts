import { remoteError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import {
  type Change,
  type Condition,
  type Field,
  known,
  NotYet,
  type Read,
  type Ref,
  type Step,
  step,
  type Write,
} from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { type Maintenance, returning } from "../../maintenance/maintenance.ts";
import { reboot } from "../../maintenance/reboot.ts";
import type { Inventory, MachineFacts } from "../../platforms/platform.ts";
import type { Answering, TalosNodes } from "../../talos/api/talos-nodes.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import { effectOf } from "../../talos/config/effect.ts";
import { keepVersions } from "../../talos/config/kept-versions.ts";
import type { MachineConfig } from "../../talos/config/machine-config.ts";
import { etcdStaysHealthy, keepingEtcd } from "../../talos/health/etcd-quorum.ts";
import { look, type RunningNode, runningOn, runsInstaller } from "../../talos/health/running-node.ts";
import { machineConfigs } from "../generate/machine-configs.ts";
import type { WantedConfigs } from "../generate/wanted-configs.ts";
import { applyLive, stageAnyway, type Target, type Trial } from "./apply-config.ts";
import { sameMachine } from "./same-machine.ts";

export const nodeConfigStep = (node: string) => `bootstrap/config/${node}`;

interface Configured {
  /** The differences of the node's config from the wanted one with the node's own releases. */
  differing: Field[];
}

export interface NodeConfigSpec {
  env: Environment;
  node: NodeConfig;
  talos: TalosNodes;
  maintenance: Maintenance;
  found: Inventory;
  machine: Ref<MachineFacts>;
  wanted: WantedConfigs;
  trial: Trial;
  /** The nodes that must be configured before this one can answer. */
  after: readonly Ref<unknown>[];
}

/** Applies a node's config. */
export function nodeConfig({
  env,
  node,
  talos,
  maintenance,
  found,
  machine,
  wanted,
  trial,
  after,
}: NodeConfigSpec): Step<Configured, void> {
  const id = nodeConfigStep(node.name);
  const subject = `node ${node.name}`;
  const isThere = found.there.has(node.name);
  const target: Target = { node, talos, trial };
  const firstConfig = (from: Field["from"]): Change[] => [
    { id, step: id, verb: "create", subject, fields: [{ path: "config", from, to: node.role }] },
  ];
  const liveChange = async (config: MachineConfig, running: MachineConfig, c: Write): Promise<boolean> => {
    let isApplied = false;
    await keepingEtcd(talos, node, c, async () => {
      isApplied = await applyLive(target, config, running, c);
    });
    return isApplied;
  };
  return step({
    id,
    stage: "bootstrap",
    title: subject,
    needs: [environmentId, machine, machineConfigs, ...after],
    // One node at a time, so that a bad config breaks only one. Restarts have their own budget.
    lanes: (changes) => (changes[0]?.verb === "update" ? [{ key: `configs of ${node.role}s`, limit: 1 }] : []),
    observe: async (c) => {
      // The machine does not exist yet, so any other machine may have its address: it is not queried.
      if (!isThere) known(c, machine);
      const config = wanted.of(node, c);
      const answering = await runningOn(c, talos, env.config, node);
      switch (answering.is) {
        case "waiting":
          return { is: "absent" };
        case "silent":
          throw new NotYet({ later: id }, `${node.name} does not answer: ${answering.why}`);
        case "stranger":
          return { is: "unreadable", why: stranger(env, node, answering) };
        case "ours": {
          const { running, stored } = answering.answer;
          const wanted = configFor(config, node, answering.answer);
          return { is: "present", actual: { differing: drift(wanted, running, stored) }, owner: "us" };
        }
      }
    },
    plan: (seen) => {
      if ("later" in seen) return firstConfig(isThere ? seen : null);
      if (seen.is !== "present") return firstConfig(null);
      const { differing } = seen.actual;
      if (differing.length === 0) return maintenance.isRestarting(node.name) ? [returning(id, subject)] : [];
      const verb = effectOf(differing).reboot.length > 0 ? "restart" : "update";
      return [{ id, step: id, verb, subject, fields: differing, ...(verb === "restart" && { interrupts: node.name }) }];
    },
    guard: async (changes, c) => {
      if (changes[0]?.verb !== "update" || node.role !== "controlplane") return [];
      const others = env.config.nodes.filter((one) => one.role === "controlplane" && one.name !== node.name);
      return etcdStaysHealthy(talos, node.name, others, c);
    },
    apply: async (_, c) => {
      const answering = await answered(talos, node, c);
      const key = `node ${node.name}`;
      if (answering.is === "waiting") {
        const waiting = talos.waiting(node.ip, answering.key);
        sameMachine(env, node, known(c, machine), await waiting.hardware(c.signal));
        c.say("applying its first config");
        await c.mutate({ key, what: `apply the first config of ${node.name}` }, async () => {
          const { warnings } = await waiting.apply(wanted.of(node, c), c.signal);
          return { warnings: [...warnings] };
        });
        await c.until(takesIt(talos, node));
        // Replaced in a running cluster: the next node must wait until this one serves again.
        return maintenance.bringBack(node, c);
      }
      const runs = await look(talos.node(node.ip), env.config, node, c.signal);
      const config = configFor(wanted.of(node, c), node, runs);
      const { running, stored } = runs;
      const isDone = drift(config, running, stored).length === 0;
      if (!isDone && (await liveChange(config, running, c))) return;
      await maintenance.restart(node, c, {
        prepare: async () => (isDone ? undefined : stageAnyway(target, config, running, c)),
        act: isDone ? undefined : () => reboot(talos, node, c),
      });
    },
    output: () => undefined,
  });
}

/** Another release is an upgrade: the node keeps the one it runs. */
export function configFor(config: MachineConfig, node: NodeConfig, runs: RunningNode): MachineConfig {
  return keepVersions(config, runs.running, (installer) => runsInstaller(runs, node, installer)).config;
}

/** Differences of the running config, and of the next boot's: a config can be on trial, or stored for later. */
export function drift(wanted: MachineConfig, running: MachineConfig, stored: MachineConfig): Field[] {
  const now = configDifferences(wanted, running);
  const shown = new Set(now.map((field) => field.path));
  const later = stored.text === running.text ? [] : configDifferences(wanted, stored).filter((field) => !shown.has(field.path));
  return [...now, ...later.map((field) => ({ ...field, path: `${field.path} (after the next boot)` }))];
}

/**
 * Waits until the node has its config. It may still answer in maintenance mode for a while, be silent, and change its key when it gets its name, so a
 * lasting wait looks like no change.
 */
function takesIt(talos: TalosNodes, node: NodeConfig): Condition {
  return {
    name: `${node.name} answers with its config`,
    timeoutMs: 10 * 60_000,
    poll: async ({ signal }) => {
      const answering = await talos.probe(node.ip, signal);
      if (answering.is === "waiting") return { reason: "it still waits for a config" };
      return answering.is === "silent" ? { reason: answering.why } : true;
    },
  };
}

/** The node answered a moment ago, but may be rebooting. */
async function answered(talos: TalosNodes, node: NodeConfig, c: Write): Promise<Extract<Answering, { is: "waiting" | "ours" }>> {
  let found: Answering | undefined;
  await c.until({
    name: `${node.name} answers at ${node.ip}`,
    timeoutMs: 10 * 60_000,
    poll: async (read: Read) => {
      found = await talos.probe(node.ip, read.signal);
      return found.is === "waiting" || found.is === "ours" ? true : { reason: found.why };
    },
  });
  return found as Extract<Answering, { is: "waiting" | "ours" }>;
}

function stranger(env: Environment, node: NodeConfig, { why }: { why: string }) {
  const where = env.where(["nodes", node.name, "ip"]);
  return remoteError("STRANGE_NODE", {
    message: `The machine at ${node.ip} is not ${node.name} of this cluster: it has the config of another cluster`,
    detail: why,
    hint: `check the address; if the machine should become ${node.name}, reset it first (talosctl reset), or restore the secrets.yaml it was created with`,
    ...(where && { where }),
  });
}
