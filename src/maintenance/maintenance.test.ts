import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { type TestSession, testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import type { Node, Pod } from "../kubernetes/objects.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import type { EtcdMember, Service, TalosNode } from "../talos/api/talos-node.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { type MaintenanceSpec, openMaintenance } from "./maintenance.ts";
import type { Snapshots } from "./snapshot.ts";
import type { ServiceNode } from "./standing.ts";
import { noSnapshots } from "./testing/no-snapshots.ts";

const NODES: ServiceNode[] = [
  { name: "cp-1", ip: "10.0.0.1", role: "controlplane" },
  ...[1, 2, 3].map((n): ServiceNode => ({ name: `worker-${n}`, ip: `10.0.0.2${n}`, role: "worker" })),
];
const [controlPlane, first, second] = NODES as [ServiceNode, ServiceNode, ServiceNode, ServiceNode];

class Scene {
  readonly kube = new MemoryCluster();
  readonly session: TestSession & { failures: string[] };
  readonly log: string[] = [];
  /** Nodes that answer through Talos, with their boot. */
  readonly boots = new Map(NODES.map(({ ip }) => [ip, 1]));
  /** Addresses of control planes whose etcd is not healthy. */
  readonly unhealthy = new Set<string>();
  /** The members of etcd, as each control plane lists them. */
  members = async (): Promise<EtcdMember[]> => [];

  /** Addresses of control planes whose etcd waits to join. */
  readonly joining = new Set<string>();

  constructor(timeScale = 1000) {
    this.session = { ...testSession({ timeScale }), failures: [] };
    this.kube.unknown.add("Volume").add("CephCluster");
    for (const { name } of NODES) this.node(name);
    const merge = this.kube.merge.bind(this.kube);
    this.kube.merge = async (of, change) => {
      const { unschedulable } = (change as { spec: { unschedulable: boolean | null } }).spec;
      this.log.push(`${unschedulable ? "cordon" : "uncordon"} ${of.name}`);
      return merge(of, change);
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

  pod(name: string, nodeName: string): void {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }];
    this.kube.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ownerReferences },
      spec: { nodeName },
    } as Pod);
  }

  maintenance(more: Partial<MaintenanceSpec> = {}) {
    const node = (ip: string) => ({
      bootId: async () => `boot ${this.boots.get(ip)}`,
      services: async (): Promise<Service[]> =>
        ["kubelet", "etcd"].map((id) => ({
          id,
          ...(id === "etcd" && this.joining.has(ip)
            ? { state: "Preparing", healthy: false }
            : { state: "Running", healthy: id !== "etcd" || !this.unhealthy.has(ip) }),
          message: "",
        })),
      etcdMembers: () => this.members(),
      forfeitLeadership: async () => undefined,
    });
    const talos = {
      node,
      ask: async <T>(ip: string, question: (node: TalosNode) => Promise<T>) =>
        this.boots.has(ip)
          ? { is: "ours", answer: await question(node(ip) as Partial<TalosNode> as TalosNode) }
          : { is: "silent", why: "no answer" },
    } as unknown as TalosNodes;
    const existing = new Set(NODES.map(({ name }) => name));
    const snapshots: Snapshots = { ...noSnapshots, take: async () => void this.log.push("snapshot") };
    const spec = { nodes: NODES, existing, bootstrapped: true, workers: 1, talos, kube: this.kube, snapshots };
    return openMaintenance({ ...spec, ...more });
  }

  c(step = "machine/x") {
    return writeContext(this.session, step, new Map());
  }

  /** Restarts as a machine does; the kubelet reports a moment after the machine is up. */
  async restart({ name, ip }: ServiceNode): Promise<void> {
    this.log.push(`down ${name}`);
    const cordoned = this.kube.find<Node>({ apiVersion: "v1", kind: "Node", name })?.spec?.unschedulable ? "ours" : undefined;
    this.boots.set(ip, 2);
    const { clock } = this.session.world;
    await clock.sleep(10_000);
    void clock.sleep(10_000).then(() => {
      this.log.push(`up ${name}`);
      this.node(name, { boot: 2, ...(cordoned && { cordoned }) });
    });
  }
}

test("the next worker is taken when the one before is Ready since its restart, not when Talos answers", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  await Promise.all([first, second].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  const one = ({ name }: ServiceNode) => [`cordon ${name}`, `down ${name}`, `up ${name}`, `uncordon ${name}`];
  expect(scene.log).toEqual([...one(first), ...one(second)]);
});

test("maintenance.workers allows several workers out of service at a time", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance({ workers: 2 });
  await Promise.all([first, second].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  expect(scene.log.slice(0, 4).sort()).toEqual(["cordon worker-1", "cordon worker-2", "down worker-1", "down worker-2"]);
});

test("a worker that is down counts, and no other is taken until it is back", async () => {
  const scene = new Scene();
  scene.node("worker-3", { ready: "Unknown" });
  const restarted = scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "BUDGET",
    message:
      "Unable to take worker-1 out of service: worker-3 is down, and maintenance.workers allows 1 worker out of service at a time",
  });
  expect(scene.log).toEqual([]);
});

test("a node that is down is repaired without budget, gates or drain", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "Unknown" });
  scene.node("worker-3", { ready: "Unknown" });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["down worker-1"]);
});

test("after a failure in the run no further node is taken out of service", async () => {
  const scene = new Scene();
  scene.session.failures.push("machine worker-3");
  const restarted = scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "KEPT_IN_SERVICE",
    message: expect.stringContaining("machine worker-3 failed"),
  });
  expect(scene.log).toEqual([]);
});

test("a node that an administrator cordoned is drained and stays cordoned", async () => {
  const scene = new Scene();
  scene.node("worker-1", { cordoned: "foreign" });
  scene.pod("web-1", "worker-1");
  const maintenance = scene.maintenance();
  await maintenance.restart(first, scene.c(), {
    act: async () => {
      expect(scene.kube.all("Pod")).toEqual([]);
      scene.boots.set(first.ip, 2);
      scene.node("worker-1", { cordoned: "foreign", boot: 2 });
    },
  });
  expect(scene.log).toEqual([]);
});

test("a node whose pods cannot be evicted is uncordoned, and the error names the budget", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = async () => ({ is: "blocked", why: "budget web needs 1 healthy pod" });
  const maintenance = scene.maintenance();
  await expect(maintenance.restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "DRAIN",
    detail: expect.stringContaining("budget web needs 1 healthy pod"),
  });
  expect(scene.log).toEqual(["cordon worker-1", "uncordon worker-1"]);
  expect(maintenance.isRestarting("worker-1")).toBe(false);
});

test("a node keeps its turn when a response is lost before its restart, because its step observes again and continues", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  const prepare = () => Promise.reject(remoteError("CONNECTION_LOST", { message: "gone", transient: true }));
  const act = () => scene.restart(first);
  await expect(maintenance.restart(first, scene.c(), { prepare, act })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  expect(maintenance.isRestarting("worker-1")).toBe(true);
  await maintenance.restart(first, scene.c(), { act });
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("pods of a disruption budget that the user ignores are deleted, not evicted", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = async () => ({ is: "blocked", why: "budget web needs 1 healthy pod" });
  scene.kube.put({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: {} },
  } as never);
  await scene.maintenance({ ignoredBudgets: ["default/web"] }).restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("while the Kubernetes API does not answer, a broken node is repaired and a healthy one is left untouched", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  const maintenance = scene.maintenance();
  await expect(maintenance.restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "KUBERNETES_SILENT",
  });
  expect(scene.log).toEqual([]);
  scene.boots.delete(second.ip);
  await maintenance.restart(second, scene.c(), { act: async () => void scene.log.push("act") });
  expect(scene.log).toEqual(["act"]);
});

test("a cordon left by a killed run is removed before the next node goes out of service", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "ours" });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log.slice(0, 2)).toEqual(["uncordon worker-2", "cordon worker-1"]);
});

test("a node that a killed run has shut down counts as out of service while Kubernetes still shows it as Ready", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "ours" });
  scene.boots.delete(second.ip);
  const { clock } = scene.session.world;
  void clock.sleep(60_000).then(() => {
    scene.log.push("worker-2 starts");
    scene.boots.set(second.ip, 2);
  });
  // Its kubelet reports a moment later.
  void clock.sleep(90_000).then(() => scene.node("worker-2", { cordoned: "ours", boot: 2 }));
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log.slice(0, 3)).toEqual(["worker-2 starts", "uncordon worker-2", "cordon worker-1"]);
});

test("degraded Longhorn volumes keep every node in service, and are named", async () => {
  const scene = new Scene();
  scene.kube.unknown.delete("Volume");
  const metadata = { name: "pvc-1", namespace: "longhorn-system" };
  scene.kube.put({ apiVersion: "longhorn.io/v1beta2", kind: "Volume", metadata, status: { robustness: "degraded" } } as never);
  await expect(scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "STORAGE_DEGRADED",
    message: "Unable to take worker-1 out of service: Longhorn volumes lack replicas: pvc-1 (degraded)",
  });
  expect(scene.log).toEqual([]);
});

test("the pods of the only node are not drained", async () => {
  const scene = new Scene();
  for (const name of ["cp-1", "worker-2", "worker-3"]) scene.kube.objects.delete(`Node /${name}`);
  scene.pod("web-1", "worker-1");
  const only = scene.maintenance({ nodes: [first], existing: new Set(["worker-1"]) });
  await only.restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["down worker-1", "up worker-1"]);
  expect(scene.kube.all("Pod")).toHaveLength(1);
});

test("before the only control plane restarts, a snapshot of etcd is taken", async () => {
  const scene = new Scene();
  await scene.maintenance().restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.log).toEqual(["snapshot", "cordon cp-1", "down cp-1", "up cp-1", "uncordon cp-1"]);
});

test("the only control plane is not touched when no snapshot can be taken", async () => {
  const scene = new Scene();
  const take = async () => {
    throw remoteError("NO_SNAPSHOT", { message: "Unable to take a snapshot of etcd" });
  };
  const maintenance = scene.maintenance({ snapshots: { ...noSnapshots, take } });
  const restarted = maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  await expect(restarted).rejects.toMatchObject({ code: "NO_SNAPSHOT" });
  expect(scene.log).toEqual([]);
  expect(maintenance.isRestarting("cp-1")).toBe(false);
});

test("the only control plane that is NotReady is repaired with a snapshot if etcd answers, and without one if not", async () => {
  const outlooks = [{ is: "possible" }, { is: "impossible", why: "cp-1 does not answer" }] as const;
  const logs = outlooks.map(async (outlook) => {
    const scene = new Scene();
    scene.node("cp-1", { ready: "False" });
    const take = async () => void scene.log.push("snapshot");
    const maintenance = scene.maintenance({ snapshots: { ...noSnapshots, take, look: async () => outlook } });
    await maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
    return scene.log;
  });
  expect(await Promise.all(logs)).toEqual([["snapshot", "down cp-1"], ["down cp-1"]]);
});

test("the only member of etcd restarts after a snapshot, although there are control planes that have not joined yet", async () => {
  const scene = new Scene();
  const joining = [2, 3].map((n): ServiceNode => ({ name: `cp-${n}`, ip: `10.0.0.${n}`, role: "controlplane" }));
  for (const { name, ip } of joining) {
    // The kubelet does not wait for etcd.
    scene.node(name);
    scene.joining.add(ip);
  }
  const nodes = [...NODES, ...joining];
  const maintenance = scene.maintenance({ nodes, existing: new Set(nodes.map(({ name }) => name)) });
  await maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.log.slice(0, 2)).toEqual(["snapshot", "cordon cp-1"]);
});

/** Two more control planes, and maintenance that knows of them. */
function threeControlPlanes(scene: Scene, more: Partial<MaintenanceSpec> = {}) {
  const others = [2, 3].map((n): ServiceNode => ({ name: `cp-${n}`, ip: `10.0.0.${n}`, role: "controlplane" }));
  for (const { name, ip } of others) {
    scene.boots.set(ip, 1);
    scene.node(name);
  }
  const nodes = [...NODES, ...others];
  const maintenance = scene.maintenance({ nodes, existing: new Set(nodes.map(({ name }) => name)), ...more });
  const [another, third] = others as [ServiceNode, ServiceNode];
  return { maintenance, another, third };
}

test("a worker, and one of several control planes, restart without a snapshot", async () => {
  const scene = new Scene();
  const { maintenance, another } = threeControlPlanes(scene);
  await maintenance.restart(first, scene.c(), { act: () => scene.restart(first) });
  await maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  expect(scene.log).not.toContain("snapshot");
});

test("control planes restart one after the other, however many workers may be out of service", async () => {
  const scene = new Scene();
  const { maintenance, another, third } = threeControlPlanes(scene, { workers: 3 });
  await Promise.all([another, third].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  const one = ({ name }: ServiceNode) => [`cordon ${name}`, `down ${name}`, `up ${name}`, `uncordon ${name}`];
  expect(scene.log).toEqual([...one(another), ...one(third)]);
});

test("a control plane is not touched while the etcd of another one is unhealthy", async () => {
  const scene = new Scene();
  const { maintenance, another, third } = threeControlPlanes(scene);
  scene.unhealthy.add(third.ip);
  const restarted = maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  await expect(restarted).rejects.toMatchObject({ code: "QUORUM" });
  expect(scene.log).toEqual([]);
});

test("a control plane stays up when the etcd of another one becomes unhealthy while it is drained", async () => {
  const scene = new Scene();
  const { maintenance, another, third } = threeControlPlanes(scene);
  scene.pod("web-1", another.name);
  const evict = scene.kube.evict.bind(scene.kube);
  scene.kube.evict = (pod) => {
    scene.unhealthy.add(third.ip);
    return evict(pod);
  };
  const restarted = maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  await expect(restarted).rejects.toMatchObject({ code: "QUORUM" });
  expect(scene.log).toEqual(["cordon cp-2", "uncordon cp-2"]);
});

test("a node that is to be removed is not drained either while storage lacks copies", async () => {
  const scene = new Scene(20_000);
  scene.kube.unknown.delete("Volume");
  const metadata = { name: "pvc-1", namespace: "longhorn-system" };
  scene.kube.put({ apiVersion: "longhorn.io/v1beta2", kind: "Volume", metadata, status: { robustness: "degraded" } } as never);
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toMatchObject({ code: "STORAGE_DEGRADED" });
  expect(scene.log).toEqual([]);
});

test("a control plane counts as back only when etcd has no learner any more", async () => {
  const scene = new Scene();
  const waited = () => scene.session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  scene.members = async () => [{ id: 1n, hostname: "cp-1", peerUrls: [], isLearner: !waited().includes("etcd has a learner") }];
  await scene.maintenance().restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(waited().at(-1)).toBe("etcd has a learner");
});

test("nodes that are down are named when more workers may be out of service than one", async () => {
  const scene = new Scene();
  for (const name of ["worker-2", "worker-3"]) scene.node(name, { ready: "Unknown" });
  const restarted = scene.maintenance({ workers: 2 }).restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "BUDGET",
    message: expect.stringContaining(
      "worker-2, worker-3 are down, and maintenance.workers allows 2 workers out of service at a time",
    ),
    hint: expect.stringContaining("remove them from the config"),
  });
  expect(scene.log).toEqual([]);
});

test("a control plane that is down keeps the others in service, and workers do not count", async () => {
  const scene = new Scene();
  const { maintenance, another } = threeControlPlanes(scene);
  scene.node("cp-3", { ready: "Unknown" });
  const act = async () => void scene.log.push("act");
  await expect(maintenance.restart(another, scene.c(), { act })).rejects.toMatchObject({
    code: "BUDGET",
    message: expect.stringContaining("cp-3 is down, and only one control plane may be out of service at a time"),
  });
  expect(scene.log).toEqual([]);
});

test("while the Kubernetes API does not answer, a control plane whose own etcd is unhealthy is repaired", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.unhealthy.add(controlPlane.ip);
  const act = async () => void scene.log.push("act");
  await scene.maintenance().restart(controlPlane, scene.c(), { act });
  expect(scene.log).toEqual(["act"]);
});
