import { asTalosmithError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { Finding, Read, Write } from "../../engine/step.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";

/** Long enough for a machine that was just restarted to come back. */
const PATIENCE_MS = 5 * 60_000;

/** A control plane, as much of it as is needed to ask it. */
export interface ControlPlane {
  name: string;
  ip: string;
}

/** etcd as one control plane's service list has it. */
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

/** How many of so many members etcd needs to live. */
export function quorumOf(members: number): number {
  return Math.floor(members / 2) + 1;
}

/** Would etcd live on while `node` is away? Nothing to fear while there is no etcd, or no other member. */
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

/** Would etcd live on when `node` is no member any more? `others` are the voting members that stay. */
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

/** Before a control plane is touched: would etcd live on without it? Members that are on their way back are given time. */
export function etcdStaysHealthy(talos: TalosNodes, node: string, others: readonly ControlPlane[], c: Read): Promise<Finding[]> {
  return givenTime(`etcd can do without ${node} for a while`, c, async () => {
    const states = await Promise.all(others.map((one) => etcdState(talos, one, c.signal)));
    const lacking = withoutForAWhile(node, states);
    if (lacking.length > 0) return lacking;
    const healthy = others.find(({ name }) => states.some((one) => one.name === name && one.is === "healthy"));
    return healthy ? learnersAt(talos, node, healthy, c) : [];
  });
}

/** A learner has no vote yet, and the member that teaches it must not go away meanwhile. */
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
 * Changes a node, and does not leave it before its etcd can talk to the others again: a firewall that was just turned on drops connections that are
 * older, and etcd takes a while to make new ones. On all control planes at once that would stop it.
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
        // A member answers this only when most of the others have just agreed; Talos's own health check is up to half a minute old.
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

/** The same question again and again; what is against it in the end is what was seen last. */
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
    if (!(error instanceof TalosmithError && error.code === "TIMEOUT")) throw error;
  });
  return found;
}
