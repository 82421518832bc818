import type { NodeConfig } from "../../config/config.ts";
import type { Finding, Read } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { asTalosmithError } from "../../lib/errors.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

/** Before a control plane is touched: would etcd live on without it? Nothing to fear while there is no etcd, or no other member. */
export async function etcdStaysHealthy(env: Environment, talos: TalosNodes, node: NodeConfig, c: Read): Promise<Finding[]> {
  const others = env.config.nodes.filter((one) => one.role === "controlplane" && one.name !== node.name);
  if (others.length === 0) return [];
  const states = await Promise.all(others.map((one) => stateOf(talos, one, c)));
  const healthy = states.filter((state) => state.healthy).length;
  const members = others.length + 1;
  const quorum = Math.floor(members / 2) + 1;
  if (healthy >= quorum || states.every((state) => state.never)) return [];
  return [
    {
      level: "fail",
      code: "QUORUM",
      message: `${node.name} cannot be touched now: of the other ${others.length} control planes ${healthy} have a healthy etcd, and ${quorum} are needed to go on without it (${states.map((state) => state.words).join(", ")})`,
      hint: "wait until etcd is healthy on the others, or mend them first; nothing was changed on it",
    },
  ];
}

async function stateOf(talos: TalosNodes, node: NodeConfig, { signal }: Read) {
  try {
    const etcd = (await talos.node(node.ip).services(signal)).find((service) => service.id === "etcd");
    const words = `${node.name} ${etcd?.state ?? "without etcd"}`;
    return { healthy: etcd?.state === "Running" && etcd.healthy === true, never: etcd?.state === "Preparing", words };
  } catch (error) {
    return { healthy: false, never: false, words: `${node.name} silent: ${asTalosmithError(error).message}` };
  }
}
