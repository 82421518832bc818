import type { ProxmoxNodeConfig } from "../../config/config.ts";
import type { Condition, Finding, Read } from "../../engine/step.ts";
import { type EtcdState, etcdState, etcdStaysHealthy } from "../../talos/health/etcd-quorum.ts";
import type { Site } from "./site.ts";

const BACK_WITHIN_MS = 10 * 60_000;

/** A control plane of a living cluster is restarted only while the others keep etcd alive. */
export async function mayRestart(site: Site, node: ProxmoxNodeConfig, c: Read): Promise<Finding[]> {
  if (node.role !== "controlplane") return [];
  const others = site.env.config.nodes.filter((one) => one.role === "controlplane" && one.name !== node.name);
  // Machines that never had a cluster are silent because nobody has told them anything yet.
  const lives = (states: readonly EtcdState[]) =>
    isMarked(site, node) || states.some((one) => one.is === "healthy" || one.is === "unhealthy");
  return etcdStaysHealthy(site.talos, node.name, others, c, lives);
}

/** Whether it is a node now, and so has to be one again after its restart. */
export async function isNode({ talos }: Site, { ip }: ProxmoxNodeConfig, c: Read): Promise<boolean> {
  return (await talos.probe(ip, c.signal)).is === "ours";
}

/** After its restart a node of a living cluster answers again before anything else is restarted; a control plane as a healthy member of etcd. */
export async function backAgain(site: Site, node: ProxmoxNodeConfig, wasNode: boolean, c: Read): Promise<void> {
  if (node.role === "controlplane" ? !isMarked(site, node) : !wasNode) return;
  await c.until(node.role === "controlplane" ? healthyInEtcd(site, node) : answersAgain(site, node));
}

function healthyInEtcd({ talos }: Site, node: ProxmoxNodeConfig): Condition {
  return {
    name: `etcd is healthy again on ${node.name}`,
    timeoutMs: BACK_WITHIN_MS,
    poll: async ({ signal }) => {
      const state = await etcdState(talos, node, signal);
      return state.is === "healthy" ? true : { reason: state.words };
    },
  };
}

function answersAgain({ talos }: Site, { name, ip }: ProxmoxNodeConfig): Condition {
  return {
    name: `${name} answers again`,
    timeoutMs: BACK_WITHIN_MS,
    poll: async ({ signal }) => {
      const answering = await talos.probe(ip, signal);
      if (answering.is === "ours") return true;
      return { reason: answering.is === "silent" ? answering.why : "it does not answer as a node of this cluster yet" };
    },
  };
}

function isMarked({ places }: Site, { name }: ProxmoxNodeConfig): boolean {
  return places.assigned(name)?.machine?.mark.bootstrapped === true;
}
