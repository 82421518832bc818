import type { NodeConfig } from "../../config/config.ts";
import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { nodesReady } from "../../kubernetes/conditions.ts";
import { cordon, cordonedFor, uncordon } from "../../kubernetes/cordon.ts";
import { drain } from "../../kubernetes/drain.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { TalosmithError } from "../../lib/errors.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

const REBOOT_MS = 10 * 60_000;

export interface Restart {
  node: NodeConfig;
  talos: TalosNodes;
  kube: KubernetesClient;
  /** This run has sent its pods away and has not let them back yet. */
  isEmptied: boolean;
}

/** Reboots a node of a living cluster in good order: its pods go elsewhere before. Talos's own reboot just stops them. */
export async function restarted(restart: Restart, c: Write, prepare: () => Promise<void>): Promise<void> {
  const { node, talos } = restart;
  const api = talos.node(node.ip);
  const before = await api.bootId(c.signal);
  await vacate(restart, c);
  await prepare();
  c.say("rebooting");
  await c.mutate({ key: `node ${node.name}`, what: `reboot ${node.name}` }, () => api.reboot(c.signal));
  await c.until({
    name: `${node.name} has rebooted`,
    timeoutMs: REBOOT_MS,
    poll: async ({ signal }) => {
      try {
        return (await api.bootId(signal)) === before ? { reason: "it has not gone down yet" } : true;
      } catch (error) {
        if (!(error instanceof TalosmithError && error.transient)) throw error;
        return { reason: error.detail ?? error.message };
      }
    },
  });
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
