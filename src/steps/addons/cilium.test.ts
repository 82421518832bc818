import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { Config } from "../../config/config.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { Condition } from "../../engine/step.ts";
import { daemonSetReady, deploymentReady } from "../../kubernetes/conditions.ts";
import type { KubernetesObject, Node } from "../../kubernetes/objects.ts";
import { remoteError } from "../../lib/errors.ts";
import { addons } from "./addons.ts";
import { ciliumValues } from "./cilium.ts";
import { nodesReady } from "./nodes-ready.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { CILIUM_CONFIG, done, testCluster } from "./testing/test-cluster.ts";

const cilium = CILIUM_CONFIG;
const lastOf = <T>(results: readonly T[]) => results.at(-1) as T;

function stage(kube: MemoryCluster, cni?: Config["cluster"]["cni"]) {
  const { env, found } = testCluster(kube, cni);
  return addons(env, kube, found);
}

function waiting(kube: MemoryCluster, there?: string[]) {
  const cluster = testCluster(kube, "flannel", there);
  return [...done(cluster), nodesReady(cluster, [])];
}

function node(name: string, address: string, ready: boolean): KubernetesObject {
  const status = {
    addresses: [{ type: "InternalIP", address }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False", message: ready ? "" : "cni plugin not initialized" }],
  };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, status } as KubernetesObject;
}

function workload(kind: string, name: string, rest: object): KubernetesObject {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace: "kube-system", generation: 1 },
    ...rest,
  } as KubernetesObject;
}

/** Asks once, as a run would. */
async function poll(condition: Condition): Promise<true | { reason: string }> {
  const { world, signal } = testSession();
  return condition.poll({ world, signal } as Parameters<Condition["poll"]>[0]);
}

describe("Cilium's values", () => {
  test("are those Talos needs (talos.md 9)", () => {
    expect(ciliumValues(cilium, 3)).toEqual({
      ipam: { mode: "kubernetes" },
      kubeProxyReplacement: true,
      k8sServiceHost: "localhost",
      k8sServicePort: 7445,
      securityContext: {
        capabilities: {
          ciliumAgent: "CHOWN KILL NET_ADMIN NET_RAW IPC_LOCK SYS_ADMIN SYS_RESOURCE DAC_OVERRIDE FOWNER SETGID SETUID".split(
            " ",
          ),
          cleanCiliumState: ["NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"],
        },
      },
      cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
      operator: { replicas: 2 },
    });
  });

  test("ask for one operator where there is one node (oci-vps-gitops.md 4.7)", () => {
    expect(ciliumValues(cilium, 1)).toMatchObject({ operator: { replicas: 1 } });
  });

  test("are overlaid by the person's own", () => {
    const own = {
      ...cilium,
      values: { ipam: { mode: "cluster-pool" }, hubble: { relay: { enabled: true } }, operator: { replicas: 3 } },
    };
    expect(ciliumValues(own, 1)).toMatchObject({ ...own.values, kubeProxyReplacement: true });
  });
});

describe("the stage", () => {
  test("installs Cilium and waits until it runs and every node is Ready", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", false));
    kube.put(node("worker-1", "10.10.0.21", false));
    // The network comes up a while after Helm is done.
    kube.onCall = () => {
      if (kube.all("Job").length === 0 || kube.asked.length < 60) return;
      kube.put(
        workload("DaemonSet", "cilium", {
          status: { observedGeneration: 1, desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 2 },
        }),
      );
      kube.put(
        workload("Deployment", "cilium-operator", {
          spec: { replicas: 2 },
          status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 2 },
        }),
      );
      kube.put(node("cp-1", "10.10.0.11", true));
      kube.put(node("worker-1", "10.10.0.21", true));
    };
    const session = testSession();
    const items = [...done(testCluster(kube)), ...stage(kube)];
    const made = await makePlan(items, session);
    expect(changesOf(made).map(({ verb, subject }) => `${verb} ${subject}`)).toEqual([
      "create cilium",
      "run wait until all nodes are Ready",
    ]);
    const results = await runPlan(made, session);
    expect(results.slice(-3).map(({ outcome }) => outcome)).toEqual(["changed", "unchanged", "unchanged"]);
    expect(changesOf(await makePlan(items, session))).toEqual([]);
    const waits = session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
    expect(waits).toContain("there is no DaemonSet cilium yet");
  });

  test("a node that a run of ours emptied and was cut off is opened again; one that somebody else closed is not", async () => {
    const kube = new MemoryCluster();
    const closed = (name: string, annotations: Record<string, string>) => {
      const open = node(name, "10.10.0.11", true);
      kube.put({ ...open, metadata: { ...open.metadata, annotations }, spec: { unschedulable: true } } as typeof open);
    };
    closed("cp-1", { "talosmith.dev/cordoned-for": "reboot" });
    closed("worker-1", {});
    const session = testSession();
    const items = [...done(testCluster(kube)), ...stage(kube, "none")];
    const made = await makePlan(items, session);
    expect(changesOf(made).map(({ verb, subject }) => `${verb} ${subject}`)).toEqual(["update cordoned nodes"]);
    await runPlan(made, session);
    expect(changesOf(await makePlan(items, session))).toEqual([]);
    const nodes = kube.all("Node") as unknown as Node[];
    expect(nodes.map(({ metadata, spec }) => [metadata.name, spec?.unschedulable ?? false])).toEqual([
      ["cp-1", false],
      ["worker-1", true],
    ]);
  });

  test("a cluster that cannot be asked just now may have been left with an emptied node: that is planned for", async () => {
    const kube = new MemoryCluster();
    kube.notReady = "it reboots";
    const items = [...done(testCluster(kube)), ...stage(kube, "none")];
    const made = await makePlan(items, testSession());
    expect(changesOf(made).map(({ subject }) => subject)).toContain("cordoned nodes");
  });

  test("with Talos's own network only waits for the nodes; without any, not even that", () => {
    const ids = (cni: Config["cluster"]["cni"]) => stage(new MemoryCluster(), cni).map(({ id }) => id);
    expect(ids("cilium")).toEqual(["addon/cilium", "addon/nodes-ready", "addon/nodes-schedulable"]);
    expect(ids("flannel")).toEqual(["addon/nodes-ready", "addon/nodes-schedulable"]);
    expect(ids("none")).toEqual(["addon/nodes-schedulable"]);
  });
});

describe("nodes are Ready", () => {
  test("a node that is not is something still to be waited for, and the plan says why", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", true));
    kube.put(node("worker-1", "10.10.0.21", false));
    const made = await makePlan(waiting(kube), testSession());
    expect(changesOf(made)).toHaveLength(1);
    expect(made.planned.at(-1)?.findings.map(({ message }) => message)).toEqual([
      "worker-1 is NotReady: cni plugin not initialized",
    ]);
  });

  test("a node whose machine is still to be made is waited for, but not missed", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", true));
    const made = await makePlan(waiting(kube, ["cp-1"]), testSession());
    expect(changesOf(made)).toHaveLength(1);
    expect(lastOf(made.planned).findings).toEqual([]);
  });

  test("it ends when the last one is, having said what it waited for", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", true));
    const session = testSession();
    const made = await makePlan(waiting(kube), session);
    kube.onCall = () => {
      if (kube.asked.length > 5) kube.put(node("worker-1", "10.10.0.21", true));
    };
    const result = lastOf(await runPlan(made, session));
    expect(result.outcome).toBe("changed");
    expect(session.events.filter(({ type }) => type === "step.waiting")).toMatchObject([{ reason: "worker-1 has not joined" }]);
  });

  test("an API server that goes away for a moment is waited for", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", true));
    const session = testSession();
    const made = await makePlan(waiting(kube), session);
    kube.put(node("worker-1", "10.10.0.21", true));
    kube.onCall = () => {
      if (kube.asked.length === 3) throw remoteError("KUBERNETES_UNREACHABLE", { message: "gone", transient: true });
    };
    const result = lastOf(await runPlan(made, session));
    expect(result.error).toBeUndefined();
  });
});

describe("a workload is ready", () => {
  const agent = { namespace: "kube-system", name: "cilium", pods: "k8s-app=cilium" };
  const all = { observedGeneration: 1, desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 2 };

  test.each([
    ["on every node", all, 2, true],
    ["not while a node of the config has not joined", { ...all, desiredNumberScheduled: 2 }, 3, { reason: "2 of 3 ready" }],
    ["not while one is not ready", { ...all, numberReady: 1 }, 2, { reason: "1 of 2 ready" }],
    ["not while one is of the old kind", { ...all, updatedNumberScheduled: 1 }, 2, { reason: "1 of 2 ready" }],
    ["not before its controller has seen the new wish", { ...all, observedGeneration: 0 }, 2, { reason: "2 of 2 ready" }],
  ])("a DaemonSet %s", async (_, status, count, expected) => {
    const kube = new MemoryCluster();
    kube.put(workload("DaemonSet", "cilium", { status }));
    expect(await poll(daemonSetReady(kube, agent, count, 1000))).toEqual(expected);
  });

  test("a pod that cannot start is named with its reason", async () => {
    const kube = new MemoryCluster();
    kube.put(workload("DaemonSet", "cilium", { status: { ...all, numberReady: 1 } }));
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const status = { phase: "Pending", containerStatuses: [{ name: "a", state: { waiting } }] };
    const metadata = { name: "cilium-x", namespace: "kube-system", labels: { "k8s-app": "cilium" } };
    kube.put({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "worker-1" }, status } as KubernetesObject);
    expect(await poll(daemonSetReady(kube, agent, 2, 1000))).toEqual({
      reason: "1 of 2 ready, worker-1: ImagePullBackOff: no such image",
    });
  });

  test("a Deployment with all its replicas, the old ones gone", async () => {
    const kube = new MemoryCluster();
    const of = { ...agent, name: "cilium-operator" };
    const ready = { observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1 };
    kube.put(workload("Deployment", "cilium-operator", { spec: { replicas: 1 }, status: ready }));
    expect(await poll(deploymentReady(kube, of, 1000))).toBe(true);
    kube.put(workload("Deployment", "cilium-operator", { spec: { replicas: 1 }, status: { ...ready, replicas: 2 } }));
    expect(await poll(deploymentReady(kube, of, 1000))).toEqual({ reason: "1 of 1 ready" });
  });
});
