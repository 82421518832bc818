import { asTalosmithError, hasCode } from "@talosmith/lib/errors.ts";
import type { Finding, Read, Write } from "../../engine/step.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";

/** Long enough for a machine that was just restarted to come back. */
const PATIENCE_MS = 5 * 60_000;

/** The facts about a control plane that are needed to query it. */
export interface ControlPlane {
  name: string;
  ip: string;
}

/** The state of etcd in a control plane's service list. */
export interface EtcdState {
  name: string;
  is: "healthy" | "unhealthy" | /** It waits to be bootstrapped or to join. */ "empty" | "silent";
  words: string;
}

export async function etcdState(talos: TalosNodes, { name, ip }: ControlPlane, signal: AbortSignal): Promise<EtcdState> {
  try {
    const etcd = (await talos.node(ip).services(signal)).find((service) => service.id === "etcd");
    const words = `${name} ${etcd?.state ?? "without etcd"}`;
    if (etcd?.state === "Running" && etcd.healthy === true) return { name, is: "healthy", words };
    return { name, is: etcd?.state === "Preparing" ? "empty" : "unhealthy", words };
  } catch (error) {
    signal.throwIfAborted();
    return { name, is: "silent", words: `${name} does not answer: ${asTalosmithError(error).message}` };
  }
}

/** The quorum of a number of etcd members. */
export function quorumOf(members: number): number {
  return Math.floor(members / 2) + 1;
}

/** Findings when etcd would lose its quorum while `node` is away; none while there is no etcd, or no other member. */
export function withoutForAWhile(node: string, others: readonly EtcdState[]): Finding[] {
  const healthy = others.filter((one) => one.is === "healthy").length;
  const quorum = quorumOf(others.length + 1);
  if (others.length === 0 || healthy >= quorum || others.every((one) => one.is === "empty")) return [];
  return [
    {
      level: "fail",
      code: "QUORUM",
      message: `${node} cannot be touched now: of the other ${others.length} control planes ${healthy} have a healthy etcd, and ${quorum} are needed to continue without it (${others.map((one) => one.words).join(", ")})`,
      hint: "wait until etcd is healthy on the others, or repair them first; nothing was changed on it",
    },
  ];
}

/** Findings when etcd would lose its quorum without `node` as a member. `others` are the voting members that stay. */
export function withoutForGood(node: string, others: readonly EtcdState[]): Finding[] {
  const healthy = others.filter((one) => one.is === "healthy").length;
  const quorum = quorumOf(others.length);
  if (others.length > 0 && healthy >= quorum) return [];
  const fail = { level: "fail", code: "QUORUM" } as const;
  if (others.length === 0)
    return [
      {
        ...fail,
        message: `${node} cannot leave now: it is the only member of etcd, and the cluster would be lost with it`,
        hint: "let the other control planes of the config join first: run the same command again",
      },
    ];
  return [
    {
      ...fail,
      message: `${node} cannot leave now: of the ${others.length} members that stay ${healthy} have a healthy etcd, and ${quorum} are needed (${others.map((one) => one.words).join(", ")})`,
      hint: "wait until etcd is healthy on the others, or repair them first; nothing was changed",
    },
  ];
}

/** Checks before a control plane is taken out of service that etcd keeps its quorum. Waits for members that are coming back. */
export function etcdStaysHealthy(talos: TalosNodes, node: string, others: readonly ControlPlane[], c: Read): Promise<Finding[]> {
  return givenTime(`etcd can do without ${node} for a while`, c, async () => {
    const states = await Promise.all(others.map((one) => etcdState(talos, one, c.signal)));
    const lacking = withoutForAWhile(node, states);
    if (lacking.length > 0) return lacking;
    const healthy = others.find(({ name }) => states.some((one) => one.name === name && one.is === "healthy"));
    return healthy ? learnersAt(talos, node, healthy, c) : [];
  });
}

/** Findings about learners: one has no vote yet, and the member that supplies its data must stay available. */
async function learnersAt(talos: TalosNodes, node: string, { ip }: ControlPlane, c: Read): Promise<Finding[]> {
  const members = await talos.node(ip).etcdMembers(c.signal);
  const learners = members.filter((one) => one.isLearner).map((one) => one.hostname);
  if (learners.length === 0) return [];
  return [
    {
      level: "fail",
      code: "QUORUM",
      message: `${node} cannot be touched now: ${learners.join(", ")} has joined etcd and has no vote yet`,
      hint: "wait until etcd has promoted it, then run the same command again",
    },
  ];
}

/**
 * Changes a node and waits until its etcd reaches the other members again: a firewall that was just enabled drops existing connections, and etcd needs
 * a while to open new ones. On all control planes at once this would stop etcd.
 */
export async function keepingEtcd(
  talos: TalosNodes,
  node: ControlPlane & { role: string },
  c: Write,
  change: () => Promise<void>,
): Promise<void> {
  const before = node.role === "controlplane" ? await etcdState(talos, node, c.signal) : undefined;
  await change();
  if (before?.is !== "healthy") return;
  await c.until({
    name: `etcd of ${node.name} reaches the others`,
    timeoutMs: PATIENCE_MS,
    poll: async ({ signal }) => {
      try {
        // A member responds to this only with the agreement of a majority; Talos's own health check may be half a minute old.
        await talos.node(node.ip).etcdMembers(signal);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        const { detail, message } = asTalosmithError(error);
        return { reason: detail ?? message };
      }
    },
  });
}

/** Repeats a check until it passes or the time is over; returns its last findings. */
export async function givenTime(
  name: string,
  c: Read,
  look: () => Promise<Finding[]>,
  timeoutMs = PATIENCE_MS,
): Promise<Finding[]> {
  let found: Finding[] = [];
  const poll = async () => {
    found = await look();
    return found.length === 0 ? true : { reason: found.map((finding) => finding.message).join("; ") };
  };
  await c.until({ name, timeoutMs, poll }).catch((error: unknown) => {
    if (!hasCode(error, "TIMEOUT")) throw error;
  });
  return found;
}
