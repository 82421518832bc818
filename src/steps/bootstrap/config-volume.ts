import type { NodeConfig } from "../../config/config.ts";
import { type AnyStep, type Condition, isLater, NotYet, type Read, type Ref, step } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory } from "../../platforms/platform.ts";
import { textOf } from "../../talos/api/spec.ts";
import type { Resource } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MACHINE_STATUS } from "../../talos/health/reports.ts";
import { nodeConfigStep } from "./node-config.ts";

/** The partition with a node's first config, which Talos finds by a kernel argument of the image. */
const READS_A_VOLUME = "talos.config=metal-iso";
const LABEL = "metal-iso";
const VOLUMES = { namespace: "runtime", type: "DiscoveredVolumes.block.talos.dev" };
const BOOT_LIMIT_MS = 15 * 60_000;
const GONE_LIMIT_MS = 60_000;

/**
 * Wipes the partition with a node's first config after the node has started from it: it contains all secrets in plain text, and after a reset the node
 * would be configured by it again. `after`: the steps after which the node has stored its config.
 */
export function configVolumesGone(
  env: Environment,
  talos: TalosNodes,
  found: Inventory,
  after: readonly Ref<unknown>[],
): AnyStep[] {
  return env.config.nodes
    .filter(({ image }) => image.kernelArgs.includes(READS_A_VOLUME))
    .map((node) => configVolumeGone(node, talos, found, after));
}

function configVolumeGone(node: NodeConfig, talos: TalosNodes, found: Inventory, after: readonly Ref<unknown>[]): AnyStep {
  const { name, ip } = node;
  const id = `bootstrap/config-volume/${name}`;
  const config = { step: nodeConfigStep(name) };
  const subject = `config volume of ${name}`;
  /** "sda5" */
  const look = async (c: Read): Promise<string | undefined> => {
    const answering = await talos.ask(ip, (api) => api.resources(VOLUMES, c.signal), c.signal);
    if (answering.is === "ours") return answering.answer.find(isConfigVolume)?.id;
    throw new NotYet(
      { later: id },
      `${name} ${answering.is === "waiting" ? "waits for its config" : `does not answer: ${answering.why}`}`,
    );
  };
  return step<string, void>({
    id,
    stage: "bootstrap",
    title: subject,
    needs: [config, ...after],
    observe: async (c) => {
      const made = c.get(config);
      if (!found.there.has(name) && isLater(made)) throw new NotYet(made);
      const device = await look(c);
      return device === undefined ? { is: "absent" } : { is: "present", actual: device, owner: "us" };
    },
    plan: (seen) => {
      if ("is" in seen && seen.is !== "present") return [];
      const from = "is" in seen ? seen.actual : seen;
      return [{ id, step: id, verb: "run", subject: `wipe the ${subject}`, fields: [{ path: "partition", from, to: null }] }];
    },
    apply: async (_, c) => {
      await c.until(hasBooted(node, talos));
      const device = await look(c);
      if (device === undefined) return;
      await c.mutate({ key: `node ${name}`, what: `wipe ${device} of ${name}` }, async () => {
        await talos.node(ip).wipePartition(device, c.signal);
        return device;
      });
    },
    settle: [
      {
        name: `${name} no longer has its config volume`,
        timeoutMs: GONE_LIMIT_MS,
        poll: async (c) => ((await look(c)) === undefined ? true : { reason: "Talos still sees it" }),
      },
    ],
    output: () => undefined,
  });
}

/** Finds the partition by its name, since its content may already be overwritten. */
function isConfigVolume({ spec }: Resource): boolean {
  return textOf(spec, "type") === "partition" && textOf(spec, "partition_label") === LABEL;
}

/** Until then the partition may be the only copy of the config. */
function hasBooted({ name, ip }: NodeConfig, talos: TalosNodes): Condition {
  return {
    name: `${name} has booted`,
    timeoutMs: BOOT_LIMIT_MS,
    poll: async ({ signal }) => {
      const answering = await talos.ask(ip, (api) => api.resource(MACHINE_STATUS, signal), signal);
      const stage = answering.is === "ours" ? textOf(answering.answer?.spec, "stage") : "silent";
      return stage === "running" ? true : { reason: `it is ${stage ?? "in an unknown stage"}` };
    },
  };
}
