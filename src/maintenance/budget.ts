import { hasCode, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Read, Write } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../kubernetes/conditions.ts";
import { cordonedFor, uncordon } from "../kubernetes/cordon.ts";
import type { Node } from "../kubernetes/objects.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { isReady, listNodes, nodeNamed, notServing, type ServiceNode } from "./standing.ts";

/** Long enough for a machine that was just started to come back. */
const PATIENCE_MS = 5 * 60_000;
/** A node waits for the others of this run as long as they take; a failure ends the wait. */
const QUEUE_MS = 24 * 3_600_000;

export interface BudgetSpec {
  nodes: readonly ServiceNode[];
  existing: ReadonlySet<string>;
  workers: number;
  talos: TalosNodes;
  kube: KubernetesClient;
}

/**
 * How many nodes may be out of service at one time: one control plane, and as many workers as the config allows. A node counts from its cordon until it
 * is Ready again, whatever steps that takes; and so does one that is down for any other reason, which is how the count survives a crash of this program.
 */
export class Budget {
  readonly #spec: BudgetSpec;
  /** Taken out by this run. */
  readonly #out = new Map<string, ServiceNode["role"]>();

  constructor(spec: BudgetSpec) {
    this.#spec = spec;
  }

  isOut(name: string): boolean {
    return this.#out.has(name);
  }

  release(name: string): void {
    this.#out.delete(name);
  }

  async take(node: ServiceNode, c: Write): Promise<void> {
    if (this.isOut(node.name)) return;
    await c.until({
      name: `${node.name} may be taken out of service`,
      timeoutMs: QUEUE_MS,
      poll: async (read) => {
        this.#requireNoFailure(node, read);
        const taken = this.#taken(node);
        if (taken.length >= this.#limit(node)) return { reason: `${taken.join(", ")} ${isOrAre(taken)} out of service` };
        this.#out.set(node.name, node.role);
        return true;
      },
    });
    try {
      await this.#othersAreUp(node, c);
    } catch (error) {
      this.release(node.name);
      throw error;
    }
  }

  /** Nodes that are down although this run did not touch them. */
  async #othersAreUp(node: ServiceNode, c: Write): Promise<void> {
    let down: string[] = [];
    const condition = kubernetesCondition(
      `the other nodes are in service, before ${node.name} is taken out`,
      PATIENCE_MS,
      async (read) => {
        this.#requireNoFailure(node, read);
        down = [];
        down = await this.#down(node, c);
        const away = [...this.#taken(node), ...down];
        return away.length < this.#limit(node) ? true : { reason: `${away.join(", ")} ${isOrAre(away)} out of service` };
      },
    );
    await c.until(condition).catch((error: unknown) => {
      // No node is known to be down: Kubernetes did not answer.
      if (!hasCode(error, "TIMEOUT") || down.length === 0) throw error;
      throw this.#exhausted(node, down);
    });
  }

  async #down(node: ServiceNode, c: Write): Promise<string[]> {
    const { nodes, existing, kube } = this.#spec;
    const listed = await listNodes(kube, c.signal);
    const others = nodes.filter(({ name, role }) => role === node.role && !this.isOut(name));
    const down: string[] = [];
    for (const other of others) {
      const one = nodeNamed(listed, other.name);
      const isUp = one !== undefined && (await this.#serves(other, one, c));
      // An earlier run was killed before it could do so.
      if (isUp && cordonedFor(one) !== undefined) await uncordon(kube, other.name, c);
      if (!isUp && existing.has(other.name)) down.push(other.name);
    }
    return down;
  }

  /** A node that an earlier run shut down is shown as Ready until Kubernetes misses it: such a node is asked itself. */
  async #serves({ ip }: ServiceNode, shown: Node, c: Write): Promise<boolean> {
    if (cordonedFor(shown) === undefined) return isReady(shown);
    const answering = await this.#spec.talos.ask(ip, (api) => api.bootId(c.signal), c.signal);
    return answering.is === "ours" && notServing(shown, answering.answer) === undefined;
  }

  #taken(node: ServiceNode): string[] {
    return [...this.#out].filter(([name, role]) => role === node.role && name !== node.name).map(([name]) => name);
  }

  #limit({ role }: ServiceNode): number {
    return role === "controlplane" ? 1 : this.#spec.workers;
  }

  #requireNoFailure({ name }: ServiceNode, c: Read): void {
    const failed = c.failed();
    if (failed === undefined) return;
    throw remoteError("KEPT_IN_SERVICE", {
      message: `${name} was not touched: ${failed} failed, and after a failure no further node is taken out of service`,
      hint: "repair what failed, then run the same command again",
    });
  }

  #exhausted(node: ServiceNode, down: readonly string[]): TalosmithError {
    const limit = this.#limit(node);
    const allowed =
      node.role === "controlplane"
        ? "only one control plane may be out of service at a time"
        : `maintenance.workers allows ${limit} worker${limit === 1 ? "" : "s"} out of service at a time`;
    return remoteError("BUDGET", {
      message: `Unable to take ${node.name} out of service: ${down.join(", ")} ${isOrAre(down)} down, and ${allowed}`,
      hint: `repair ${down.join(", ")} or remove ${down.length === 1 ? "it" : "them"} from the config, then run the same command again${node.role === "worker" ? "; or raise maintenance.workers" : ""}`,
    });
  }
}

const isOrAre = (names: readonly unknown[]) => (names.length === 1 ? "is" : "are");
