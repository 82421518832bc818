import { asTalosmithError, isTransient, remoteError } from "@talosmith/lib/errors.ts";
import type { Change, Condition, Field, Finding, StepId, Write } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../kubernetes/conditions.ts";
import { cordon, cordonedFor, isCordoned, uncordon } from "../kubernetes/cordon.ts";
import { drain } from "../kubernetes/drain.ts";
import type { Node } from "../kubernetes/objects.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { etcdState, etcdStaysHealthy } from "../talos/health/etcd-quorum.ts";
import { Budget } from "./budget.ts";
import type { Snapshots } from "./snapshot.ts";
import { canTakePods, listNodes, nodeNamed, notServing, type ServiceNode, standingOf } from "./standing.ts";
import { storageIsHealthy } from "./storage.ts";

const BACK_WITHIN_MS = 10 * 60_000;

export interface MaintenanceSpec {
  /** All nodes of the config. */
  nodes: readonly ServiceNode[];
  /** The names of those whose machines existed when the run began: a new node is not missing before it has joined. */
  existing: ReadonlySet<string>;
  /** A mark says that etcd was bootstrapped. */
  bootstrapped: boolean;
  /** How many workers may be out of service at one time. */
  workers: number;
  talos: TalosNodes;
  kube: KubernetesClient;
  snapshots: Snapshots;
  /** Disruption budgets that the user told us to ignore: "namespace/name". */
  ignoredBudgets?: readonly string[];
}

export interface Restart {
  /** Changes nothing that runs: sends VM options that wait for a restart, pulls an image. */
  prepare?(): Promise<void>;
  /** Takes the node down and starts it again; undefined when nothing is left to do but to bring the node back. */
  act: (() => Promise<void>) | undefined;
}

/** The only way to take a node of a running cluster out of service. One per run, shared by all steps. */
export interface Maintenance {
  /** Restarts a node: its pods move away first, and it is back in service afterwards. A node that is down is repaired without any of that. */
  restart(node: ServiceNode, c: Write, restart: Restart): Promise<void>;
  /** Takes a node out of service that will be removed or replaced. `release` it, or wait until it is back with `bringBack`. */
  takeOut(node: ServiceNode, c: Write): Promise<void>;
  release(node: ServiceNode): void;
  /** Waits until a node that this run took out of service is Ready, and uncordons it. */
  bringBack(node: ServiceNode, c: Write): Promise<void>;
  /** This run took it out of service for a restart and has not brought it back yet. */
  isRestarting(node: string): boolean;
}

const RETURN: Field = { path: "in service", from: false, to: true };

/** All that is left to do after a restart whose end was not seen: the step that began it waits for the node and uncordons it. */
export function returning(step: StepId, subject: string): Change {
  return { id: step, step, verb: "update", subject, fields: [RETURN] };
}

export function isOnlyReturn(changes: readonly Change[]): boolean {
  return changes.every(({ fields }) => fields.length === 1 && fields[0]?.path === RETURN.path);
}

/** For machines that are not nodes of a cluster: they serve nothing, so nothing has to be moved away from them. */
export const withoutCluster: Maintenance = {
  restart: async (_, __, { prepare, act }) => {
    await prepare?.();
    await act?.();
  },
  takeOut: async () => {},
  bringBack: async () => {},
  release: () => {},
  isRestarting: () => false,
};

export function openMaintenance(spec: MaintenanceSpec): Maintenance {
  const { talos, kube } = spec;
  const budget = new Budget(spec);
  const restarting = new Set<string>();

  /** All preparations. A failure here has not affected the node yet. */
  async function untouched(node: ServiceNode, c: Write, work: () => Promise<void>): Promise<void> {
    await budget.take(node, c);
    try {
      await work();
    } catch (error) {
      await abandon(node, error, c);
      throw error;
    }
  }

  async function vacate(node: ServiceNode, why: string, c: Write): Promise<void> {
    const nodes = await listNodes(kube, c.signal);
    const itself = nodeNamed(nodes, node.name);
    // Its pods have nowhere to go: they stop and start with the node.
    if (!itself || !nodes.some((one) => one !== itself && canTakePods(one))) return;
    const isForeign = isCordoned(itself) && cordonedFor(itself) === undefined;
    if (!isForeign) await cordon(kube, node.name, c, why);
    c.say("draining");
    await drain(kube, node.name, c, spec.ignoredBudgets);
  }

  /** Nothing was done to the node yet: it goes on serving. Where the error is transient the step looks again and goes on from here. */
  async function abandon(node: ServiceNode, error: unknown, c: Write): Promise<void> {
    if (isTransient(error)) return;
    release(node);
    c.signal.throwIfAborted();
    try {
      await uncordonOurs(node, c);
    } catch (second) {
      c.say(`${node.name} stays cordoned: ${asTalosmithError(second).message}`);
    }
  }

  async function uncordonOurs({ name }: ServiceNode, c: Write): Promise<void> {
    const itself = await kube.get<Node>({ apiVersion: "v1", kind: "Node", name }, c.signal);
    if (itself && cordonedFor(itself) !== undefined) await uncordon(kube, name, c);
  }

  const others = (node: ServiceNode) =>
    spec.nodes.filter(({ name, role }) => role === "controlplane" && name !== node.name && spec.existing.has(name));

  /** Checked before the drain, which takes minutes, and again directly before the act. */
  async function etcdGate(node: ServiceNode, c: Write): Promise<void> {
    if (node.role === "controlplane") pass(node, await etcdStaysHealthy(talos, node.name, others(node), c));
  }

  /** Whether this node holds the only copy of etcd's data: it may come back without it. */
  async function hasOnlyCopy(node: ServiceNode, c: Write): Promise<boolean> {
    if (node.role !== "controlplane") return false;
    const states = await Promise.all(others(node).map((one) => etcdState(talos, one, c.signal)));
    return !states.some(({ is }) => is === "healthy");
  }

  async function storageGate(node: ServiceNode, c: Write): Promise<void> {
    pass(node, await storageIsHealthy(node, kube, c));
  }

  async function handOver(node: ServiceNode, c: Write): Promise<void> {
    if (node.role !== "controlplane" || others(node).length === 0) return;
    const what = `hand over etcd leadership of ${node.name}`;
    await c.mutate({ key: `etcd member ${node.name}`, what }, () => talos.node(node.ip).forfeitLeadership(c.signal));
  }

  async function bringBack(node: ServiceNode, c: Write): Promise<void> {
    if (!budget.isOut(node.name)) return;
    await c.until(isBack(node));
    await uncordonOurs(node, c);
    release(node);
  }

  function release({ name }: ServiceNode): void {
    restarting.delete(name);
    budget.release(name);
  }

  function isBack({ name, ip, role }: ServiceNode): Condition {
    return kubernetesCondition(`${name} is back in service`, BACK_WITHIN_MS, async ({ signal }) => {
      const answering = await talos.ask(ip, (api) => api.bootId(signal), signal);
      if (answering.is !== "ours") return { reason: answering.is === "waiting" ? "it waits for a config" : answering.why };
      const itself = await kube.get<Node>({ apiVersion: "v1", kind: "Node", name }, signal);
      const why = notServing(itself, answering.answer);
      if (why !== undefined) return { reason: why };
      if (role !== "controlplane") return true;
      const etcd = await etcdState(talos, { name, ip }, signal);
      if (etcd.is !== "healthy") return { reason: `etcd: ${etcd.words}` };
      // A member answers this only when a quorum has just agreed; Talos's own health check is up to half a minute old.
      const members = await talos.node(ip).etcdMembers(signal);
      return members.some((one) => one.isLearner) ? { reason: "etcd has a learner" } : true;
    });
  }

  return {
    isRestarting: (name) => restarting.has(name),
    release,
    bringBack,
    takeOut: (node, c) =>
      untouched(node, c, async () => {
        await storageGate(node, c);
        await vacate(node, "removal", c);
      }),
    restart: async (node, c, { prepare, act }) => {
      if (act && (await standingOf(spec, node, c)) === "serving") {
        await untouched(node, c, async () => {
          restarting.add(node.name);
          await prepare?.();
          await etcdGate(node, c);
          await storageGate(node, c);
          if (await hasOnlyCopy(node, c)) await spec.snapshots.take(c);
          await vacate(node, "restart", c);
          await etcdGate(node, c);
          await handOver(node, c);
        });
      } else {
        await prepare?.();
        // A repair is not refused for want of a snapshot.
        if (act && (await hasOnlyCopy(node, c)) && (await spec.snapshots.look(c)).is === "possible") await spec.snapshots.take(c);
      }
      await act?.();
      await bringBack(node, c);
    },
  };
}

function pass(node: ServiceNode, findings: readonly Finding[]): void {
  const [first] = findings;
  if (!first) return;
  throw remoteError(first.code, {
    message: `Unable to take ${node.name} out of service: ${first.message}`,
    hint: first.hint,
  });
}
