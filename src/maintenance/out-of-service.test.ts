import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import type { Node, Pod, Taint } from "../kubernetes/objects.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { leaveBehind } from "./out-of-service.ts";

const MARK: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const OTHER: Taint = { key: "gpu", effect: "NoSchedule" };

class Scene {
  readonly kube = new MemoryCluster();
  readonly session = testSession({ clock: instantClock() });

  async leave({ taints, isOff = true }: { taints?: Taint[]; isOff?: boolean }): Promise<Taint[]> {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" }, spec: taints && { taints } } as Node;
    this.kube.put(node);
    await leaveBehind(this.kube, node, isOff, writeContext(this.session, "departure/worker-1", new Map()));
    return this.kube.find<Node>({ apiVersion: "v1", kind: "Node", name: "worker-1" })?.spec?.taints ?? [];
  }

  pod(): void {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }];
    const metadata = { name: "web-1", namespace: "default", ownerReferences };
    this.kube.put({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "worker-1" } } as Pod);
  }

  now(): number {
    return this.session.world.clock.monotonic();
  }

  waited(): string[] {
    return this.session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  }
}

test("a node whose machine is off is marked once, beside the taints that it has", async () => {
  expect(await new Scene().leave({ taints: [OTHER] })).toEqual([OTHER, MARK]);
  expect(await new Scene().leave({ taints: [MARK, OTHER] })).toEqual([OTHER, MARK]);
  expect(await new Scene().leave({})).toEqual([MARK]);
});

test("a silent node whose machine may still run is not marked: its pods could run twice", async () => {
  expect(await new Scene().leave({ taints: [OTHER], isOff: false })).toEqual([OTHER]);
});

test("a departure waits until Kubernetes has released the pods of the node", async () => {
  const scene = new Scene();
  scene.pod();
  void scene.session.world.clock.sleep(20_000).then(() => scene.kube.objects.delete("Pod default/web-1"));
  await scene.leave({ taints: [] });
  expect(new Set(scene.waited())).toEqual(new Set(["default/web-1"]));
  expect(scene.kube.all("Pod")).toEqual([]);
  expect(scene.now()).toBeGreaterThanOrEqual(20_000);
});

test("pods that Kubernetes does not release in time do not keep a node from leaving: they are named, and go with its Node object", async () => {
  const scene = new Scene();
  scene.pod();
  await scene.leave({ taints: [] });
  expect(scene.now()).toBe(2 * 60_000);
  const said = scene.session.events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
  expect(said.at(-1)).toContain("default/web-1");
});

test("a refusal while the pods are looked for ends the departure", async () => {
  const scene = new Scene();
  scene.kube.onCall = (what) => {
    if (what === "list Pod") throw new Error("forbidden");
  };
  await expect(scene.leave({ taints: [] })).rejects.toThrow("forbidden");
});

test("the mark is a mutation that is recorded", async () => {
  const scene = new Scene();
  await scene.leave({ taints: [] });
  expect(scene.session.events.filter(({ type }) => type === "mutation.intent")).toMatchObject([
    { key: "node worker-1", what: "mark worker-1 as out of service" },
  ]);
});

test("pods that Kubernetes deletes already are waited for, too", async () => {
  const scene = new Scene();
  scene.pod();
  const [pod] = scene.kube.all<Pod>("Pod") as [Pod];
  scene.kube.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } } as Pod);
  await scene.leave({ taints: [] });
  expect(scene.waited()).toContain("default/web-1");
});

test("nothing is waited for when no pods are left, or when the machine may still run", async () => {
  const scene = new Scene();
  await scene.leave({ taints: [] });
  scene.pod();
  await scene.leave({ taints: [], isOff: false });
  expect([scene.now(), scene.waited()]).toEqual([0, []]);
});

test("an interrupt ends the wait for the pods", async () => {
  const scene = new Scene();
  scene.pod();
  void scene.session.world.clock.sleep(1_000).then(() => scene.session.abort());
  await expect(scene.leave({ taints: [] })).rejects.toThrow("interrupted");
});
