import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { nodesReady } from "../../kubernetes/conditions.ts";
import { cordon, cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import { drain } from "../../kubernetes/drain.ts";
import type { Node } from "../../kubernetes/objects.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

const REBOOT_MS = 10 * 60_000;
/** Stopping pods and services takes a node that long at the most; one that still answers then was never told to reboot. */
const GOES_DOWN_MS = 2 * 60_000;

/** Shared by all nodes of a run: a network that cuts off one node would cut off the next. */
export interface Trial {
  /** The first node that could not be reached with its new network. */
  cutOff?: string;
}

export interface Restart {
  node: NodeConfig;
  talos: TalosNodes;
  kube: KubernetesClient;
  /** This run has sent its pods away and has not let them back yet. */
  isEmptied: boolean;
  trial: Trial;
}

/** Reboots a node of a living cluster in good order: its pods go elsewhere before. Talos's own reboot just stops them. */
export async function restarted(restart: Restart, c: Write, prepare: () => Promise<void>): Promise<void> {
  const { node, talos } = restart;
  const api = talos.node(node.ip);
  const before = await api.bootId(c.signal);
  await vacate(restart, c);
  await prepare();
  c.say("rebooting");
  const asked = c.world.clock.monotonic();
  const lost = await c
    .mutate({ key: `node ${node.name}`, what: `reboot ${node.name}` }, () => api.reboot(c.signal))
    .then(() => undefined, orThrow);
  await c.until({
    name: `${node.name} has rebooted`,
    timeoutMs: REBOOT_MS,
    poll: async ({ signal, world }) => {
      const now = await api.bootId(signal).catch(orThrow);
      if (now instanceof TalosmithError) return { reason: now.detail ?? now.message };
      if (now !== before) return true;
      // Asked again too soon, a node that is on its way down would reboot twice.
      if (lost && world.clock.monotonic() - asked > GOES_DOWN_MS) throw lost;
      return { reason: "it has not gone down yet" };
    },
  });
}

/** What a node that is about to go says, or does not say, is no reason to give up. */
function orThrow(error: unknown): TalosmithError {
  if (error instanceof TalosmithError && error.transient) return error;
  throw error;
}

/** Once it has rebooted, whether or not the answer to that was heard. */
export async function letPodsBack(restart: Restart, c: Write): Promise<void> {
  const { node, kube } = restart;
  if (!restart.isEmptied) return;
  await c.until(nodesReady(kube, [node], REBOOT_MS));
  await uncordon(kube, node.name, c);
  restart.isEmptied = false;
}

/** Sends its pods away, unless nobody could take them or Kubernetes is silent. */
async function vacate(restart: Restart, c: Write): Promise<void> {
  const { node, kube } = restart;
  if ((await kube.ready(c.signal)) !== true) return;
  const nodes = await kube.list<Node>({ apiVersion: "v1", kind: "Node" }, c.signal);
  const itself = nodes.find(({ metadata }) => metadata.name === node.name);
  if (!itself || !isReady(itself)) return;
  // Somebody has emptied it already, and wants it to stay so.
  if (itself.spec?.unschedulable === true && cordonedFor(itself) === undefined) return;
  const others = nodes.filter((one) => one !== itself && isReady(one) && one.spec?.unschedulable !== true && !isTainted(one));
  if (others.length === 0) return;
  restart.isEmptied = true;
  await cordon(kube, node.name, c, "reboot");
  c.say("draining");
  await drain(kube, node.name, c);
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

function isTainted({ spec }: Node): boolean {
  return spec?.taints?.some(({ effect }) => effect !== "PreferNoSchedule") === true;
}
