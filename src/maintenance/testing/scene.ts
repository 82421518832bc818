import { instantClock } from "../../../test/support/instant-clock.ts";
import { type TestSession, testSession } from "../../../test/support/toy.ts";
import { writeContext } from "../../engine/context.ts";
import type { Node, Pod } from "../../kubernetes/objects.ts";
import { MemoryCluster } from "../../steps/addons/testing/memory-cluster.ts";
import type { EtcdMember, Service, TalosNode } from "../../talos/api/talos-node.ts";
import type { Answering, TalosNodes } from "../../talos/api/talos-nodes.ts";
import { type MaintenanceSpec, openMaintenance } from "../maintenance.ts";
import type { Snapshots } from "../snapshot.ts";
import type { ServiceNode } from "../standing.ts";
import { noSnapshots } from "./no-snapshots.ts";

export const controlPlane: ServiceNode = { name: "cp-1", ip: "10.0.0.1", role: "controlplane" };
export const first: ServiceNode = { name: "worker-1", ip: "10.0.0.21", role: "worker" };
export const second: ServiceNode = { name: "worker-2", ip: "10.0.0.22", role: "worker" };
export const third: ServiceNode = { name: "worker-3", ip: "10.0.0.23", role: "worker" };
export const NODES: readonly ServiceNode[] = [controlPlane, first, second, third];

/** A cluster of one control plane and three workers, maintenance of it, and what was done, in order. */
export class Scene {
  readonly kube = new MemoryCluster();
  readonly session: TestSession & { failures: string[] };
  readonly log: string[] = [];
  /** Nodes that answer through Talos, with their boot. */
  readonly boots = new Map(NODES.map(({ ip }) => [ip, 1]));
  /** Other answers of machines, by their addresses; an error is thrown. */
  readonly answers = new Map<string, Answering | Error>();
  /** Addresses of nodes whose etcd is not healthy. */
  readonly unhealthy = new Set<string>();
  /** Addresses of control planes whose etcd waits to join. */
  readonly joining = new Set<string>();
  /** Addresses of nodes whose kubelet is not healthy. */
  readonly withoutKubelet = new Set<string>();
  /** Addresses of control planes that gave up the leadership of etcd. */
  readonly handedOver: string[] = [];
  /** The members of etcd, as each control plane lists them. */
  members = async (): Promise<EtcdMember[]> => [];

  constructor() {
    this.session = { ...testSession({ clock: instantClock() }), failures: [] };
    this.kube.unknown.add("Volume").add("CephCluster");
    for (const { name } of NODES) this.node(name);
    const merge = this.kube.merge.bind(this.kube);
    this.kube.merge = async (of, change) => {
      const { unschedulable } = (change as { spec: { unschedulable: boolean | null } }).spec;
      const done = await merge(of, change);
      this.log.push(`${unschedulable ? "cordon" : "uncordon"} ${of.name}`);
      return done;
    };
  }

  node(name: string, more: { ready?: string; cordoned?: "ours" | "foreign"; boot?: number } = {}): void {
    const { ready = "True", cordoned, boot = 1 } = more;
    const annotations = cordoned === "ours" ? { "talosmith.dev/cordoned-for": "restart" } : {};
    this.kube.put({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, annotations },
      spec: cordoned ? { unschedulable: true } : {},
      status: { conditions: [{ type: "Ready", status: ready }], nodeInfo: { bootID: `boot ${boot}` } },
    } as Node);
  }

  shown(name: string): Node | undefined {
    return this.kube.find<Node>({ apiVersion: "v1", kind: "Node", name });
  }

  pod(name: string, nodeName: string): void {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }];
    this.kube.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ownerReferences },
      spec: { nodeName },
    } as Pod);
  }

  degradedVolume(): void {
    this.kube.unknown.delete("Volume");
    const metadata = { name: "pvc-1", namespace: "longhorn-system" };
    this.kube.put({ apiVersion: "longhorn.io/v1beta2", kind: "Volume", metadata, status: { robustness: "degraded" } } as never);
  }

  #services(ip: string): Service[] {
    const etcd = this.joining.has(ip)
      ? { state: "Preparing", healthy: false }
      : { state: "Running", healthy: !this.unhealthy.has(ip) };
    return [
      { id: "kubelet", state: "Running", healthy: !this.withoutKubelet.has(ip), message: "" },
      { id: "etcd", ...etcd, message: "" },
    ];
  }

  #talos(): TalosNodes {
    const node = (ip: string) =>
      ({
        bootId: async () => `boot ${this.boots.get(ip)}`,
        services: async () => this.#services(ip),
        etcdMembers: () => this.members(),
        forfeitLeadership: async () => {
          this.handedOver.push(ip);
          return undefined;
        },
      }) as Partial<TalosNode> as TalosNode;
    const ask = async <T>(ip: string, question: (node: TalosNode) => Promise<T>) => {
      const answer = this.answers.get(ip) ?? (this.boots.has(ip) ? { is: "ours" } : { is: "silent", why: "no answer" });
      if (answer instanceof Error) throw answer;
      return answer.is === "ours" ? { is: "ours", answer: await question(node(ip)) } : answer;
    };
    return { node, ask } as unknown as TalosNodes;
  }

  spec(more: Partial<MaintenanceSpec> = {}): MaintenanceSpec {
    const { nodes = NODES } = more;
    const existing = new Set(nodes.map(({ name }) => name));
    const snapshots: Snapshots = { ...noSnapshots, take: async () => void this.log.push("snapshot") };
    return { nodes, existing, bootstrapped: true, workers: 1, talos: this.#talos(), kube: this.kube, snapshots, ...more };
  }

  maintenance(more: Partial<MaintenanceSpec> = {}) {
    return openMaintenance(this.spec(more));
  }

  c(step = "machine/x") {
    return writeContext(this.session, step, new Map());
  }

  now(): number {
    return this.session.world.clock.monotonic();
  }

  /** Does something after a while, beside what is tested. */
  after(ms: number, work: () => void): void {
    void this.session.world.clock.sleep(ms).then(work);
  }

  /** The reasons of all waits, in order. */
  waited(): string[] {
    return this.session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  }

  /** All progress, in order. */
  said(): string[] {
    return this.session.events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
  }

  /** Restarts as a machine does; the kubelet reports a moment after the machine is up. */
  async restart({ name, ip }: ServiceNode): Promise<void> {
    this.log.push(`down ${name}`);
    const cordoned = this.shown(name)?.spec?.unschedulable ? "ours" : undefined;
    this.boots.set(ip, 2);
    await this.session.world.clock.sleep(10_000);
    this.after(10_000, () => {
      this.log.push(`up ${name}`);
      this.node(name, { boot: 2, ...(cordoned && { cordoned }) });
    });
  }
}

/** Two more control planes, and maintenance that knows of them. */
export function threeControlPlanes(scene: Scene, more: Partial<MaintenanceSpec> = {}) {
  const others = [2, 3].map((n): ServiceNode => ({ name: `cp-${n}`, ip: `10.0.0.${n}`, role: "controlplane" }));
  for (const { name, ip } of others) {
    scene.boots.set(ip, 1);
    scene.node(name);
  }
  const nodes = [...NODES, ...others];
  const [another, last] = others as [ServiceNode, ServiceNode];
  return { maintenance: scene.maintenance({ nodes, ...more }), nodes, another, last };
}
