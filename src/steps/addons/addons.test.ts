import { remoteError } from "@talosmith/lib/errors.ts";
import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { AddonConfig, Tier } from "../../config/addons-config.ts";
import type { Config } from "../../config/config.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { KubernetesObject, Node } from "../../kubernetes/objects.ts";
import { addons } from "./addons.ts";
import { nodesReady } from "./nodes-ready.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { CILIUM, done, testCluster } from "./testing/test-cluster.ts";

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

const CHART = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: cilium }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: cilium-operator }
`;
const RUNNING = [
  workload("DaemonSet", "cilium", {
    status: { observedGeneration: 1, desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 2 },
  }),
  workload("Deployment", "cilium-operator", {
    spec: { replicas: 2 },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 2 },
  }),
];
const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "hello", namespace: "default" } };

function addon(name: string, tier: Tier): AddonConfig {
  return { name, tier, path: ["addons", name], parts: [{ ...CILIUM, name, chart: name, namespace: "default" }] };
}

function ordered(kube: MemoryCluster, more: readonly AddonConfig[]) {
  const cluster = testCluster(kube, "cilium", undefined, more);
  return [...done(cluster), ...addons(cluster.env, kube, cluster.found)];
}

describe("the stage", () => {
  test("installs Cilium, waits until what its record names runs, and then until every node is Ready", async () => {
    const kube = new MemoryCluster();
    kube.charts.set("cilium", CHART);
    kube.put(node("cp-1", "10.10.0.11", false));
    kube.put(node("worker-1", "10.10.0.21", false));
    // The network is ready a while after Helm has finished.
    kube.onCall = () => {
      if (kube.all("Job").length === 0 || kube.asked.length < 60) return;
      for (const object of RUNNING) kube.put(object);
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
    expect(results.map(({ outcome }) => outcome)).not.toContain("failed");
    expect(changesOf(await makePlan(items, session))).toEqual([]);
    const waits = session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
    expect(waits).toContain("DaemonSet kube-system/cilium does not exist (and 1 more)");
  });

  test("with cni none, addons that need a pod network fail at once while there is none", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", false));
    kube.put(node("worker-1", "10.10.0.21", false));
    const session = testSession();
    const cluster = testCluster(kube, "none", undefined, [addon("metrics-server", "presets")]);
    const items = [...done(cluster), ...addons(cluster.env, kube, cluster.found)];
    const results = await runPlan(await makePlan(items, session), session);
    expect(results.flatMap(({ id, error }) => (error ? [[id, error.code, error.detail]] : []))).toEqual([
      [
        "addon/pod-network",
        "NO_CNI",
        "the config has cluster.cni: none, and no CNI is installed (cp-1, worker-1 NotReady): metrics-server cannot run yet",
      ],
    ]);
    expect(results.find(({ id }) => id === "addon/metrics-server")?.outcome).toBe("blocked");
    expect(session.events.some((event) => event.type === "step.waiting")).toBe(false);
  });

  test("an addon that running nodes have no extensions for is not touched, and not taken for one that is gone", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", true));
    kube.put(node("worker-1", "10.10.0.21", true));
    const { env, found } = testCluster(kube, "flannel", undefined, [addon("longhorn", "presets"), addon("other", "presets")]);
    const upgrade = { images: [], withheld: ["longhorn"] };
    const items = [...done({ env, found, kube }), ...addons({ ...env, upgrade }, kube, found)];
    expect(changesOf(await makePlan(items, testSession())).map(({ subject }) => subject)).toEqual(["other"]);
  });

  test("no other addon's Job begins before the network is up and all nodes are Ready, and tiers keep their order", async () => {
    const kube = new MemoryCluster();
    kube.put(node("cp-1", "10.10.0.11", false));
    kube.put(node("worker-1", "10.10.0.21", true));
    const begun: string[] = [];
    kube.onCall = (what, when) => {
      if (what === "create Job" && when === "after")
        begun.push(String(kube.all("Job").at(-1)?.metadata.labels?.["talosmith.dev/release"]));
      if (kube.asked.length > 60 && !begun.includes("Ready")) {
        begun.push("Ready");
        kube.put(node("cp-1", "10.10.0.11", true));
      }
    };
    const items = ordered(kube, [addon("web", "charts"), addon("flux", "gitops"), addon("longhorn", "presets")]);
    const session = testSession();
    await runPlan(await makePlan(items, session), session);
    expect(begun).toEqual(["cilium", "Ready", "longhorn", "web", "flux"]);
  });

  test("one that fails does not stop its tier; what comes after the tier waits", async () => {
    const kube = new MemoryCluster();
    for (const [name, ip] of [
      ["cp-1", "10.10.0.11"],
      ["worker-1", "10.10.0.21"],
    ] as const)
      kube.put(node(name, ip, true));
    const bad = { ...addon("bad", "presets"), parts: [{ kind: "objects", name: "x", objects: [CONFIG_MAP] } as const] };
    kube.onApply = (object) => {
      if (object.metadata.name === CONFIG_MAP.metadata.name)
        throw remoteError("KUBERNETES_INVALID", { message: "Unable to apply it" });
    };
    const session = testSession();
    const results = await runPlan(
      await makePlan(ordered(kube, [bad, addon("good", "presets"), addon("web", "charts")]), session),
      session,
    );
    const outcome = (id: string) => results.find((one) => one.id === id)?.outcome;
    expect([outcome("addon/bad/x"), outcome("addon/good"), outcome("addon/web")]).toEqual(["failed", "changed", "blocked"]);
  });

  test("the parts of an addon come one after the other, each named by its addon", () => {
    const parts = [CILIUM, { kind: "objects", name: "pools", objects: [] }] as const;
    const { env, found } = testCluster(new MemoryCluster(), "flannel", [], [{ ...addon("cilium", "network"), parts }]);
    const steps = addons(env, new MemoryCluster(), found);
    expect(steps.map(({ id }) => id)).toEqual([
      "addon/cilium",
      "addon/cilium/pools",
      "addon/nodes-ready",
      "addon/nodes-schedulable",
      "addon/left",
    ]);
    expect(steps[1]?.needs).toContainEqual({ step: "addon/cilium" });
  });

  test("a node left cordoned by an interrupted run is uncordoned; one cordoned by an administrator is not", async () => {
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
    expect(ids("cilium")).toEqual(["addon/cilium", "addon/nodes-ready", "addon/nodes-schedulable", "addon/left"]);
    expect(ids("flannel")).toEqual(["addon/nodes-ready", "addon/nodes-schedulable", "addon/left"]);
    expect(ids("none")).toEqual(["addon/nodes-schedulable", "addon/left"]);
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

  test("it ends with the last one, and has reported what it waited for", async () => {
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
