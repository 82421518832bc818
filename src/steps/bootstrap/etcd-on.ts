import { asTalosmithError } from "@talosmith/lib/errors.ts";
import type { Service } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { ControlPlane } from "../../talos/health/etcd-quorum.ts";

/** The state of etcd on one control plane. `says` describes it, `words` is the same with the node's name. */
export type EtcdOn = { node: string; says: string; words: string } /** It runs and is healthy; by hostname. */ & (
  | { is: "member"; voters: readonly string[]; learners: readonly string[] }
  /** It waits to be bootstrapped or to join, and its disk has no etcd data. */
  | { is: "empty" }
  /** It has data and does not serve yet, or any more. */
  | { is: "data" }
  /** It has not started far enough to tell. */
  | { is: "starting" }
  | { is: "silent" }
);

export async function etcdOn(talos: TalosNodes, { name, ip }: ControlPlane, signal: AbortSignal): Promise<EtcdOn> {
  const node = name;
  const silent = (why: string): EtcdOn => ({
    node,
    is: "silent",
    says: `no answer: ${why}`,
    words: `${name} does not answer: ${why}`,
  });
  try {
    const answering = await talos.ask(ip, (api) => api.services(signal), signal);
    if (answering.is === "waiting")
      return { node, is: "starting", says: "it waits for its config", words: `${name} waits for its config` };
    if (answering.is !== "ours") return silent(answering.why);
    const api = talos.node(ip);
    const etcd = answering.answer.find((service) => service.id === "etcd");
    const says = inWords(etcd);
    const words = `${name}: ${says}`;
    const described = { node, says, words };
    if (etcd?.state === "Running") {
      if (etcd.healthy !== true) return { ...described, is: "data" };
      const members = await api.etcdMembers(signal);
      const named = (isLearner: boolean) => members.filter((one) => one.isLearner === isLearner).map((one) => one.hostname);
      return { ...described, is: "member", voters: named(false), learners: named(true) };
    }
    if (await api.hasEtcdData(signal)) return { ...described, is: "data" };
    return { ...described, is: etcd?.state === "Preparing" ? "empty" : "starting" };
  } catch (error) {
    signal.throwIfAborted();
    return silent(asTalosmithError(error).message);
  }
}

/** The time is the node's own and stays the same while nothing changes. */
function inWords(etcd: Service | undefined): string {
  if (!etcd) return "etcd has not started yet";
  const since = etcd.since === undefined ? "" : ` since ${new Date(etcd.since).toISOString().slice(11, 19)} UTC`;
  return `etcd is ${etcd.state}${since}${etcd.message === "" ? "" : `, ${etcd.message}`}`;
}

/** The control planes that are not voting members, each with the state of its etcd; undefined when all are. */
export function notJoined(seen: readonly EtcdOn[]): string | undefined {
  const members = seen.flatMap((one) => (one.is === "member" ? [one] : []));
  const missing = seen.filter(({ node, is }) => is !== "member" || !members.some(({ voters }) => voters.includes(node)));
  if (missing.length === 0) return undefined;
  return missing
    .map(({ node, says }) => {
      const learns = members.some(({ learners }) => learners.includes(node));
      return `${node} ${learns ? "is a learner and has no vote yet" : "has not joined etcd"} (${says})`;
    })
    .join("; ");
}
