import type { ProxmoxNodeConfig } from "../../config/config.ts";
import type { Finding, Read } from "../../engine/step.ts";
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

/** After its restart a control plane of a living cluster is a healthy member again before anything else is restarted. */
export async function backInEtcd(site: Site, node: ProxmoxNodeConfig, c: Read): Promise<void> {
  if (node.role !== "controlplane" || !isMarked(site, node)) return;
  await c.until({
    name: `etcd is healthy again on ${node.name}`,
    timeoutMs: BACK_WITHIN_MS,
    poll: async ({ signal }) => {
      const state = await etcdState(site.talos, node, signal);
      return state.is === "healthy" ? true : { reason: state.words };
    },
  });
}

function isMarked({ places }: Site, { name }: ProxmoxNodeConfig): boolean {
  return places.assigned(name)?.machine?.mark.bootstrapped === true;
}
