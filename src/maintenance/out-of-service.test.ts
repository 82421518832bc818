import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import type { Node, Pod, Taint } from "../kubernetes/objects.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { leaveBehind } from "./out-of-service.ts";

const MARK: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const OTHER: Taint = { key: "gpu", effect: "NoSchedule" };

class Scene {
  readonly kube = new MemoryCluster();
  readonly session = testSession({ timeScale: 10_000 });

  async leave({ taints, isOff = true }: { taints: Taint[]; isOff?: boolean }): Promise<Taint[]> {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" }, spec: { taints } } as Node;
    this.kube.put(node);
    await leaveBehind(this.kube, node, isOff, writeContext(this.session, "departure/worker-1", new Map()));
    return this.kube.find<Node>({ apiVersion: "v1", kind: "Node", name: "worker-1" })?.spec?.taints ?? [];
  }

  pod(): void {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }];
    const metadata = { name: "web-1", namespace: "default", ownerReferences };
    this.kube.put({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "worker-1" } } as Pod);
  }

  waited(): string[] {
    return this.session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  }
}

test("a node whose machine is off is marked once, beside the taints that it has", async () => {
  expect(await new Scene().leave({ taints: [OTHER] })).toEqual([OTHER, MARK]);
  expect(await new Scene().leave({ taints: [MARK, OTHER] })).toEqual([OTHER, MARK]);
});

test("a silent node whose machine may still run is not marked: its pods could run twice", async () => {
  expect(await new Scene().leave({ taints: [OTHER], isOff: false })).toEqual([OTHER]);
});

test("a departure waits until Kubernetes has released the pods of the node", async () => {
  const scene = new Scene();
  scene.pod();
  void scene.session.world.clock.sleep(20_000).then(() => scene.kube.objects.delete("Pod default/web-1"));
  await scene.leave({ taints: [] });
  expect(scene.waited()).toContain("default/web-1");
  expect(scene.kube.all("Pod")).toEqual([]);
});

test("pods that Kubernetes does not release in time do not keep a node from leaving: they are named, and go with its Node object", async () => {
  const scene = new Scene();
  scene.pod();
  await scene.leave({ taints: [] });
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
