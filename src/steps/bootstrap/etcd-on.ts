import { asTalosmithError } from "../../lib/errors.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { ControlPlane } from "../../talos/health/etcd-quorum.ts";

/** etcd as one control plane sees it. */
export type EtcdOn = { node: string; words: string } /** It runs and is healthy; by hostname, whoever votes. */ & (
  | { is: "member"; voters: readonly string[] }
  /** It waits to be bootstrapped or to join, and there is nothing on its disk. */
  | { is: "empty" }
  /** It has data and does not serve it (yet). */
  | { is: "data" }
  /** It is not far enough to tell. */
  | { is: "starting" }
  | { is: "silent" }
);

export async function etcdOn(talos: TalosNodes, { name, ip }: ControlPlane, signal: AbortSignal): Promise<EtcdOn> {
  const node = name;
  try {
    const answering = await talos.ask(ip, (api) => api.services(signal), signal);
    if (answering.is === "waiting") return { node, is: "starting", words: `${name} waits for its config` };
    if (answering.is !== "ours") return { node, is: "silent", words: `${name} is silent: ${answering.why}` };
    const api = talos.node(ip);
    const etcd = answering.answer.find((service) => service.id === "etcd");
    const words = `${name}: etcd is ${etcd?.state ?? "not there yet"}${etcd?.message ? `, ${etcd.message}` : ""}`;
    if (etcd?.state === "Running") {
      if (etcd.healthy !== true) return { node, is: "data", words };
      const members = await api.etcdMembers(signal);
      return { node, is: "member", words, voters: members.filter((one) => !one.isLearner).map((one) => one.hostname) };
    }
    if (await api.hasEtcdData(signal)) return { node, is: "data", words };
    return { node, is: etcd?.state === "Preparing" ? "empty" : "starting", words };
  } catch (error) {
    signal.throwIfAborted();
    return { node, is: "silent", words: `${name} is silent: ${asTalosmithError(error).message}` };
  }
}
