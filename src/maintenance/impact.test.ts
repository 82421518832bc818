import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/objects.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { impactOf } from "./impact.ts";
import type { ServiceNode } from "./standing.ts";

const { signal } = new AbortController();
const NODES: ServiceNode[] = [
  { name: "cp-1", ip: "10.0.0.1", role: "controlplane" },
  { name: "worker-1", ip: "10.0.0.2", role: "worker" },
  { name: "worker-2", ip: "10.0.0.3", role: "worker" },
];

function cluster(): MemoryCluster {
  const kube = new MemoryCluster();
  const put = (object: object) => kube.put(object as KubernetesObject);
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  for (const { name } of NODES) {
    const taints = name === "cp-1" ? [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] : [];
    put({ apiVersion: "v1", kind: "Node", metadata: { name }, spec: { taints }, status });
  }
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }];
  const metadata = { name: "web-1", namespace: "default", labels: { app: "web" }, ownerReferences };
  put({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "worker-1", volumes: [{ emptyDir: {} }] } });
  put({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } } },
    status: { disruptionsAllowed: 0 },
  });
  return kube;
}

const told = async (kube: MemoryCluster, ...names: string[]) =>
  (await impactOf(names, NODES, kube, signal)).map(({ code, message }) => `${code} ${message}`);

test("a plan says which pods move, what they lose and which disruption budget keeps them", async () => {
  expect(await told(cluster(), "worker-1")).toEqual([
    "INTERRUPTS worker-1: 1 pod will move to other nodes; emptyDir data of default/web-1 is lost",
    "BUDGET_BLOCKS worker-1: disruption budget default/web allows no eviction right now; the drain waits for it and fails after 5 minutes",
  ]);
});

test("the restart of the only control plane is announced as downtime of the API", async () => {
  expect(await told(cluster(), "cp-1")).toEqual([
    "API_DOWNTIME cp-1 is the only control plane: the Kubernetes API does not answer while it is down. A snapshot of etcd is taken first",
  ]);
});

const notReady = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: "False" }] },
});

test("of a node that is not Ready no pods are announced to move, because it is not drained", async () => {
  const kube = cluster();
  kube.put(notReady("worker-1") as KubernetesObject);
  expect(await told(kube, "worker-1")).toEqual([]);
});

test("the restart of the only control plane is announced also while its node is not Ready", async () => {
  const kube = cluster();
  kube.put(notReady("cp-1") as KubernetesObject);
  expect(await told(kube, "cp-1")).toEqual([expect.stringMatching(/^API_DOWNTIME cp-1 is the only control plane/)]);
});

test("a node that has not joined yet interrupts nothing", async () => {
  const kube = cluster();
  kube.objects.delete("Node /cp-1");
  expect(await told(kube, "cp-1")).toEqual([]);
});

test("pods that no other node can run stop with their node", async () => {
  const kube = cluster();
  kube.objects.delete("Node /worker-2");
  expect(await told(kube, "worker-1")).toEqual([
    "INTERRUPTS worker-1: no other node can run its 1 pod; they stop until it is back",
  ]);
});

test("a plan without restarts asks Kubernetes nothing, and one that Kubernetes does not answer is made all the same", async () => {
  const kube = cluster();
  expect(await told(kube)).toEqual([]);
  expect(kube.asked).toEqual([]);
  kube.onCall = () => {
    throw remoteError("KUBERNETES_UNREACHABLE", { message: "no answer", transient: true });
  };
  expect(await told(kube, "worker-1")).toEqual([]);
});

test("pods without emptyDir volumes move without a loss", async () => {
  const kube = cluster();
  const [pod] = kube.all("Pod");
  kube.put({ ...pod, spec: { nodeName: "worker-1" } } as unknown as KubernetesObject);
  expect((await told(kube, "worker-1"))[0]).toBe("INTERRUPTS worker-1: 1 pod will move to other nodes");
});

test("a plan fails when Kubernetes refuses to show pods and nodes", async () => {
  const kube = cluster();
  kube.onCall = () => {
    throw remoteError("KUBERNETES_FORBIDDEN", { message: "forbidden" });
  };
  await expect(told(kube, "worker-1")).rejects.toMatchObject({ code: "KUBERNETES_FORBIDDEN" });
});
