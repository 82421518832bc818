import { describe, expect, test } from "vitest";
import {
  controlPlaneProblems,
  cordonedNodes,
  coreDnsProblems,
  kubeProxyProblems,
  membershipProblems,
  roleProblems,
  systemPodProblems,
  unreadyNodes,
  versionProblems,
} from "./health.ts";
import type { DaemonSet, Deployment, Node, Pod } from "./objects.ts";

// Checks 10 to 16 of docs/facts/talos.md#health-checks.

const expected = [
  { name: "cp-1", role: "controlplane", ip: "10.10.0.11" },
  { name: "worker-1", role: "worker", ip: "10.10.0.21" },
] as const;

function node(name: string, address: string, rest: Partial<Node> & { ready?: string; message?: string } = {}): Node {
  const { ready = "True", message, ...other } = rest;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: name.startsWith("cp") ? { "node-role.kubernetes.io/control-plane": "" } : {} },
    status: {
      addresses: [
        { type: "Hostname", address: name },
        { type: "InternalIP", address },
      ],
      conditions: [{ type: "Ready", status: ready, ...(message && { message }) }],
      nodeInfo: { kubeletVersion: "v1.36.3" },
    },
    ...other,
  };
}

function pod(name: string, app: string, on: string, ready: boolean, rest: Partial<Pod["status"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "kube-system", labels: { "k8s-app": app } },
    spec: { nodeName: on },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }], ...rest },
  };
}

const cp = node("cp-1", "10.10.0.11");
const worker = node("worker-1", "10.10.0.21");

describe("row 10, the nodes of the config and of Kubernetes", () => {
  test("match one to one by address, whatever their names", () => {
    expect(membershipProblems([cp, node("renamed", "10.10.0.21")], expected)).toEqual([]);
  });
  test("a node that has not joined is missed", () => {
    expect(membershipProblems([cp], expected)).toEqual([{ subject: "worker-1", problem: "has not joined" }]);
  });
  test("an unexpected node is reported", () => {
    expect(membershipProblems([cp, worker, node("old", "10.10.0.99")], expected)).toEqual([
      { subject: "old", problem: "is not in the config", hint: "if it is gone for good:  kubectl delete node old" },
    ]);
  });
});

describe("row 13, Ready", () => {
  test("all Ready is no problem", () => {
    expect(unreadyNodes([cp, worker], expected)).toEqual([]);
  });
  test("a node without a network says so, in the words that matter", () => {
    // What a kubelet reports while there is no CNI config.
    const message =
      "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";
    expect(unreadyNodes([cp, node("worker-1", "10.10.0.21", { ready: "False", message })], expected)).toEqual([
      { subject: "worker-1", problem: "is NotReady: cni plugin not initialized", waitsForNetwork: true },
    ]);
  });
  test("a node whose kubelet is silent does not report", () => {
    const silent = node("worker-1", "10.10.0.21", { ready: "Unknown", message: "Kubelet stopped posting node status." });
    expect(unreadyNodes([cp, silent], expected)[0]?.problem).toBe("does not report: Kubelet stopped posting node status.");
  });
  test("a node that is not there is not Ready", () => {
    expect(unreadyNodes([], expected).map(({ subject }) => subject)).toEqual(["cp-1", "worker-1"]);
  });
});

describe("versions, roles, cordons", () => {
  test("a kubelet of another version is named with both", () => {
    expect(versionProblems([cp, worker], expected, "v1.36.4").map(({ problem }) => problem)).toEqual([
      "runs Kubernetes v1.36.3, not v1.36.4",
      "runs Kubernetes v1.36.3, not v1.36.4",
    ]);
    expect(versionProblems([cp, worker], expected, "v1.36.3")).toEqual([]);
  });
  test("row 12: a label that does not fit the role is a problem, both ways", () => {
    expect(roleProblems([cp, worker], expected)).toEqual([]);
    expect(roleProblems([node("x", "10.10.0.11"), node("cp-y", "10.10.0.21")], expected)).toEqual([
      { subject: "cp-1", problem: "is a control plane, but not labelled as one" },
      { subject: "worker-1", problem: "is a worker, but labelled as a control plane" },
    ]);
  });
  test("row 16: a cordoned node is a problem", () => {
    expect(cordonedNodes([cp, { ...worker, spec: { unschedulable: true } }], expected).map(({ subject }) => subject)).toEqual([
      "worker-1",
    ]);
  });
});

describe("row 12, the control plane's pods", () => {
  const apps = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];
  const all = apps.map((app) => pod(`${app}-cp-1`, app, "cp-1", true));
  test("one of each, ready, on every control plane", () => {
    expect(controlPlaneProblems(all, [cp, worker], expected)).toEqual([]);
  });
  test("one that does not run is named", () => {
    expect(controlPlaneProblems(all.slice(1), [cp, worker], expected)).toEqual([
      { subject: "cp-1", problem: "does not run kube-apiserver" },
    ]);
  });
  test("a pod on a node that is not a control plane of the config is reported as a leftover", () => {
    const left = pod("kube-apiserver-cp-9", "kube-apiserver", "cp-9", true);
    expect(controlPlaneProblems([...all, left], [cp, worker], expected)).toEqual([
      {
        subject: "pod kube-apiserver-cp-9",
        problem: "is on cp-9, which is not a control plane of the config",
        hint: "if cp-9 is gone for good:  kubectl delete node cp-9",
      },
    ]);
  });
  test("one that is not ready says why", () => {
    const crashing = pod("kube-scheduler-cp-1", "kube-scheduler", "cp-1", false, {
      containerStatuses: [{ name: "kube-scheduler", state: { waiting: { reason: "CrashLoopBackOff" } } }],
    });
    expect(controlPlaneProblems([...all.slice(0, 2), crashing], [cp, worker], expected)).toEqual([
      { subject: "cp-1", problem: "kube-scheduler is not ready: CrashLoopBackOff" },
    ]);
  });
});

describe("rows 14 and 15, kube-proxy and CoreDNS", () => {
  const proxy: DaemonSet = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "kube-proxy", labels: { "k8s-app": "kube-proxy" } },
    status: { desiredNumberScheduled: 2 },
  };
  const dns: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "coredns", labels: { "k8s-app": "kube-dns" } },
    spec: { replicas: 2 },
  };
  const dnsPods = ["a", "b"].map((name) => pod(`coredns-${name}`, "kube-dns", "worker-1", true));

  test("kube-proxy is not asked about when a CNI does its work", () => {
    expect(kubeProxyProblems([], [])).toBeUndefined();
    expect(kubeProxyProblems([{ ...proxy, status: { desiredNumberScheduled: 0 } }], [])).toBeUndefined();
  });
  test("CoreDNS is not checked when it is not installed", () => {
    expect(coreDnsProblems([], [])).toBeUndefined();
  });
  test("one more than wanted that is not ready is a problem, too", () => {
    const starting = pod("coredns-c", "kube-dns", "cp-1", false, { phase: "Running" });
    expect(coreDnsProblems([dns], [...dnsPods, starting])).toEqual([
      { subject: "coredns", problem: "has 2 of 3 pods ready: Running" },
    ]);
  });
  test("a pod whose containers have all ended is what a kubelet's shutdown left, and counts for nothing", () => {
    const ended = pod("coredns-c", "kube-dns", "cp-1", false, {
      phase: "Running",
      containerStatuses: [{ name: "coredns", state: { terminated: { exitCode: 0 } } }],
    });
    expect(coreDnsProblems([dns], [...dnsPods, ended])).toEqual([]);
  });
  test("kube-proxy must be ready wherever it should be", () => {
    const one = pod("kube-proxy-x", "kube-proxy", "cp-1", true);
    expect(kubeProxyProblems([proxy], [one])).toEqual([{ subject: "kube-proxy", problem: "has 1 of 2 pods ready" }]);
    expect(kubeProxyProblems([proxy], [one, { ...one, spec: { nodeName: "worker-1" } }])).toEqual([]);
  });
  test("CoreDNS must have all its replicas; failed and deleted pods count for nothing", () => {
    expect(coreDnsProblems([dns], dnsPods)).toEqual([]);
    const leaving = dnsPods.map((one) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }));
    expect(coreDnsProblems([dns], leaving)).toEqual([{ subject: "coredns", problem: "has 0 of 2 pods ready" }]);
    expect(coreDnsProblems([dns], [...dnsPods, pod("coredns-c", "kube-dns", "cp-1", false, { phase: "Failed" })])).toEqual([]);
  });
  test("CoreDNS that cannot start says why", () => {
    const pending = pod("coredns-a", "kube-dns", "", false, {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available" }],
    });
    expect(coreDnsProblems([dns], [pending])?.[0]?.problem).toBe("has 0 of 2 pods ready: Unschedulable: 0/1 nodes are available");
  });
});

test("any other pod of the system that should run and does not is named; what has ended has not failed", () => {
  const pods = [
    pod("cilium-x", "cilium", "cp-1", false, {
      phase: "Pending",
      containerStatuses: [{ name: "a", state: { waiting: { reason: "PodInitializing" } } }],
    }),
    pod("helm-cilium-1", "", "cp-1", false, { phase: "Succeeded" }),
    pod("coredns-a", "kube-dns", "cp-1", false),
  ];
  expect(systemPodProblems(pods)).toEqual([{ subject: "pod cilium-x", problem: "is not ready: Pending, PodInitializing" }]);
});

describe("what is on its way", () => {
  const now = Date.parse("2026-11-15T20:00:00Z");
  const silent = node("worker-1", "10.10.0.21", { ready: "Unknown" });
  const comingOf = (status: Partial<Pod["status"]>, nodes = [cp, worker]) =>
    systemPodProblems([pod("a", "", "worker-1", false, status)], { nodes, now })[0]?.coming ?? false;
  const running = (startedAt: string) => ({ containerStatuses: [{ name: "a", state: { running: { startedAt } } }] });
  const waiting = (reason: string) => ({ phase: "Pending", containerStatuses: [{ name: "a", state: { waiting: { reason } } }] });
  const unscheduled = { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] };

  test.each([
    ["a pod whose image is being pulled", comingOf(waiting("ContainerCreating")), true],
    ["a pod that is being initialized", comingOf(waiting("PodInitializing")), true],
    ["a pod that has just started", comingOf(running("2026-11-15T19:59:00Z")), true],
    ["a pod that runs for long and is not ready", comingOf(running("2026-11-15T19:50:00Z")), false],
    ["a pod whose image cannot be pulled", comingOf(waiting("ImagePullBackOff")), false],
    ["a pod that no node takes", comingOf(unscheduled), false],
    ["a pod on a node that does not report", comingOf(waiting("ContainerCreating"), [cp, silent]), false],
  ])("%s: %#", (_, seen, expected) => {
    expect(seen).toBe(expected);
  });

  test("a node comes while the pods of its network do, or its kubelet has just started", () => {
    const network = pod("cilium-x", "cilium", "worker-1", false, waiting("PodInitializing"));
    const unready = node("worker-1", "10.10.0.21", { ready: "False", message: "cni plugin not initialized" });
    const comes = (of: Node, pods: Pod[]) => unreadyNodes([cp, of], expected, { of: pods, now })[0]?.coming ?? false;
    const since = (of: Node, lastTransitionTime: string) => ({
      ...of,
      status: { ...of.status, conditions: of.status?.conditions?.map((one) => ({ ...one, lastTransitionTime })) ?? [] },
    });
    expect(comes(unready, [network])).toBe(true);
    expect(comes(unready, [pod("other", "", "cp-1", false, waiting("PodInitializing"))])).toBe(false);
    expect(comes(silent, [network])).toBe(false);
    expect(comes(since(unready, "2026-11-15T19:59:30Z"), [])).toBe(true);
    expect(comes(since(unready, "2026-11-15T19:30:00Z"), [])).toBe(false);
  });

  test("a Deployment comes when all its pods that are not ready do", () => {
    const dns = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "coredns", labels: { "k8s-app": "kube-dns" } } };
    const pods = (...statuses: Partial<Pod["status"]>[]) =>
      statuses.map((status, n) => pod(`coredns-${n}`, "kube-dns", "worker-1", false, status));
    const comes = (of: Pod[]) => coreDnsProblems([dns], of, { nodes: [cp, worker], now })?.[0]?.coming ?? false;
    expect(comes(pods(waiting("ContainerCreating"), running("2026-11-15T19:59:00Z")))).toBe(true);
    expect(comes(pods(waiting("ContainerCreating"), waiting("CrashLoopBackOff")))).toBe(false);
    expect(comes([])).toBe(false);
  });
});
