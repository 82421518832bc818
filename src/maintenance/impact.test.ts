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

const taint = (key: string, effect: string) => ({ taints: [{ key, effect }] });

/** Changes objects of a kind, as a user would. */
function change(kube: MemoryCluster, kind: string, name: string, more: object): void {
  const [found] = kube.all(kind).filter(({ metadata }) => metadata.name === name);
  kube.put({ ...found, ...more } as KubernetesObject);
}

const notes = async (kube: MemoryCluster, ...names: string[]) =>
  (await impactOf(names, NODES, kube, signal)).map(({ code, message }) => `${code} ${message}`);

test("a plan says which pods move, what they lose and which disruption budget keeps them", async () => {
  expect(await notes(cluster(), "worker-1")).toEqual([
    "INTERRUPTS worker-1: 1 pod will move to other nodes; emptyDir data of default/web-1 is lost",
    "BUDGET_BLOCKS worker-1: disruption budget default/web allows no eviction right now; the drain waits for it and fails after 5 minutes",
  ]);
});

test("the restart of the only control plane is announced as downtime of the API", async () => {
  expect(await notes(cluster(), "cp-1")).toEqual([
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
  expect(await notes(kube, "worker-1")).toEqual([]);
});

test("the restart of the only control plane is announced also while its node is not Ready", async () => {
  const kube = cluster();
  kube.put(notReady("cp-1") as KubernetesObject);
  expect(await notes(kube, "cp-1")).toEqual([expect.stringMatching(/^API_DOWNTIME cp-1 is the only control plane/)]);
});

test("a node that has not joined yet interrupts nothing", async () => {
  const kube = cluster();
  kube.objects.delete("Node /cp-1");
  expect(await notes(kube, "cp-1")).toEqual([]);
});

test("pods that no other node can run stop with their node", async () => {
  const kube = cluster();
  kube.objects.delete("Node /worker-2");
  expect(await notes(kube, "worker-1")).toEqual([
    "INTERRUPTS worker-1: no other node can run its 1 pod; they stop until it is back",
  ]);
});

test("a plan without restarts asks Kubernetes nothing, and one that Kubernetes does not answer is made all the same", async () => {
  const kube = cluster();
  expect(await notes(kube)).toEqual([]);
  expect(kube.asked).toEqual([]);
  kube.onCall = () => {
    throw remoteError("KUBERNETES_UNREACHABLE", { message: "no answer", transient: true });
  };
  expect(await notes(kube, "worker-1")).toEqual([]);
});

test("pods without emptyDir volumes move without a loss", async () => {
  const kube = cluster();
  const [pod] = kube.all("Pod");
  kube.put({ ...pod, spec: { nodeName: "worker-1" } } as unknown as KubernetesObject);
  expect((await notes(kube, "worker-1"))[0]).toBe("INTERRUPTS worker-1: 1 pod will move to other nodes");
});

test("a plan fails when Kubernetes refuses to show pods and nodes", async () => {
  const kube = cluster();
  kube.onCall = () => {
    throw remoteError("KUBERNETES_FORBIDDEN", { message: "forbidden" });
  };
  await expect(notes(kube, "worker-1")).rejects.toMatchObject({ code: "KUBERNETES_FORBIDDEN" });
});

test("without snapshots, none is announced for the only control plane", async () => {
  const [note] = await impactOf(["cp-1"], NODES, cluster(), signal, false);
  expect(note?.message).toBe("cp-1 is the only control plane: the Kubernetes API does not answer while it is down");
});

test("the restart of one of several control planes is no downtime of the API", async () => {
  const others: ServiceNode[] = [2, 3].map((n) => ({ name: `cp-${n}`, ip: `10.0.1.${n}`, role: "controlplane" }));
  expect(await impactOf(["cp-1"], [...NODES, ...others], cluster(), signal)).toEqual([]);
});

test("the restart of a worker is no downtime of the API, wherever it stands in the config", async () => {
  expect((await notes(cluster(), "worker-2")).length).toBe(0);
  const [controlPlane, ...workers] = NODES as [ServiceNode, ...ServiceNode[]];
  const [note] = await impactOf(["cp-1"], [...workers, controlPlane], cluster(), signal);
  expect(note?.code).toBe("API_DOWNTIME");
});

test("only the pods of the interrupted node, and only those that can move, are announced", async () => {
  const kube = cluster();
  const [web] = kube.all("Pod") as [KubernetesObject];
  const pod = (name: string, more: object = {}, kind = "ReplicaSet") => {
    const ownerReferences = [{ apiVersion: "apps/v1", kind, name, uid: "1", controller: true }];
    kube.put({
      ...web,
      metadata: { name, namespace: "default", ownerReferences },
      spec: { nodeName: "worker-1" },
      ...more,
    } as never);
  };
  pod("web-2");
  pod("web-3", { spec: { nodeName: "worker-2" } });
  pod("log-1", {}, "DaemonSet");
  expect((await notes(kube, "worker-1"))[0]).toBe(
    "INTERRUPTS worker-1: 2 pods will move to other nodes; emptyDir data of default/web-1 is lost",
  );
});

test("a volume of another kind is not lost", async () => {
  const kube = cluster();
  change(kube, "Pod", "web-1", { spec: { nodeName: "worker-1", volumes: [{ configMap: { name: "web" } }] } });
  expect((await notes(kube, "worker-1"))[0]).toBe("INTERRUPTS worker-1: 1 pod will move to other nodes");
});

test.each([
  ["allows an eviction", { status: { disruptionsAllowed: 1 } }],
  ["says nothing yet", { status: {} }],
  ["protects other pods", { spec: { selector: { matchLabels: { app: "db" } } } }],
])("a disruption budget that %s keeps no pod", async (_, more) => {
  const kube = cluster();
  change(kube, "PodDisruptionBudget", "web", more);
  expect(await notes(kube, "worker-1")).toEqual([expect.stringMatching(/^INTERRUPTS/)]);
});

test.each([
  ["cordoned", { spec: { unschedulable: true } }],
  ["NotReady", { status: { conditions: [{ type: "Ready", status: "False" }] } }],
  ["tainted", { spec: taint("gpu", "NoExecute") }],
])("pods cannot move to a node that is %s, and no budget has to allow it", async (_, more) => {
  const kube = cluster();
  change(kube, "Node", "worker-2", more);
  expect(await notes(kube, "worker-1")).toEqual([
    "INTERRUPTS worker-1: no other node can run its 1 pod; they stop until it is back",
  ]);
});

test("several interrupted nodes are announced in their order", async () => {
  const codes = (await notes(cluster(), "worker-1", "cp-1")).map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(codes).toEqual(["INTERRUPTS worker-1:", "BUDGET_BLOCKS worker-1:", "API_DOWNTIME cp-1"]);
});

test("a plan is made although Kubernetes is not ready, without asking it for anything else", async () => {
  const kube = cluster();
  kube.notReady = "etcd is not ready";
  expect(await notes(kube, "worker-1")).toEqual([]);
  expect(kube.asked).toEqual([]);
});

test("an interrupt while Kubernetes is asked ends the plan", async () => {
  const stop = new AbortController();
  const kube = cluster();
  kube.onCall = () => {
    stop.abort(new Error("interrupted"));
    throw remoteError("KUBERNETES_UNREACHABLE", { message: "no answer", transient: true });
  };
  await expect(impactOf(["worker-1"], NODES, kube, stop.signal)).rejects.toThrow("interrupted");
});
