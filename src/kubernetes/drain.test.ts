import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { drain, drainable, podName } from "./drain.ts";
import type { Pod } from "./objects.ts";

/* What kubectl drain --ignore-daemonsets evicts, skips and refuses: k8s.io/kubectl/pkg/drain, filters.go. */

const owner = (kind: string, controller = true) => [{ apiVersion: "apps/v1", kind, name: "x", uid: "u", controller }];
const pod = (name: string, metadata: Partial<Pod["metadata"]>, phase = "Running"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...metadata },
  status: { phase },
});
const sorted = (...pods: Pod[]) => {
  const { moving, leaving, unmanaged } = drainable(pods);
  return { moving: moving.map(podName), leaving: leaving.map(podName), unmanaged: unmanaged.map(podName) };
};
const nobody = { moving: [], leaving: [], unmanaged: [] };

test("a pod that a controller makes again elsewhere is asked to go", () => {
  expect(sorted(pod("web", { ownerReferences: owner("ReplicaSet") }))).toEqual({ ...nobody, moving: ["default/web"] });
});

test("pods that belong to the node itself stay: of DaemonSets, and static ones", () => {
  const mirror = { annotations: { "kubernetes.io/config.mirror": "hash" }, ownerReferences: owner("Node") };
  expect(sorted(pod("flannel", { ownerReferences: owner("DaemonSet") }), pod("kube-apiserver-cp-1", mirror))).toEqual(nobody);
});

test.each(["Succeeded", "Failed"])("a pod that has %s does not block a drain, with or without a controller", (phase) => {
  expect(sorted(pod("a", {}, phase), pod("b", { ownerReferences: owner("Job") }, phase))).toEqual(nobody);
});

test("a pod without a controller would be lost, even with another kind of owner", () => {
  const found = sorted(pod("alone", {}), pod("owned", { ownerReferences: owner("ConfigMap", false) }));
  expect(found).toEqual({ ...nobody, unmanaged: ["default/alone", "default/owned"] });
});

test("a pod that is ending already is only waited for", () => {
  const ending = { deletionTimestamp: "2026-11-16T00:00:00Z" };
  expect(sorted(pod("alone", ending), pod("web", { ...ending, ownerReferences: owner("ReplicaSet") }))).toEqual({
    ...nobody,
    leaving: ["default/alone", "default/web"],
  });
});

test("a drained node has no pod left that is still ending", async () => {
  const kube = new MemoryCluster();
  const session = testSession({ timeScale: 1000 });
  const web = { ...pod("web", { ownerReferences: owner("ReplicaSet") }), spec: { nodeName: "worker-1" } };
  kube.put(web);
  kube.evict = async () => {
    kube.put({ ...web, metadata: { ...web.metadata, deletionTimestamp: "2026-11-16T00:00:00Z" } });
    void session.world.clock.sleep(30_000).then(() => kube.drop({ ...web, ...web.metadata }));
    return { is: "leaving" };
  };
  await drain(kube, "worker-1", writeContext(session, "machine/worker-1", new Map()));
  expect(kube.all("Pod")).toEqual([]);
});
