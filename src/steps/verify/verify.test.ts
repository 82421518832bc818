import { remoteError } from "@talosmith/lib/errors.ts";
import { beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/objects.ts";
import { NODES, PATIENT, ready, resource, running, VerifyScene, wrongOf } from "./testing/verify-scene.ts";

/* What is broken in a cluster, the check of that name must say, and no other one. */

let scene: VerifyScene;
beforeEach(() => {
  scene = new VerifyScene();
});

test("a cluster in which all is well has nothing wrong, and each check says so", async () => {
  const found = await scene.verify();
  expect(wrongOf(found)).toEqual([]);
  for (const [id, findings] of found) expect([id, findings.length > 0]).toEqual([id, true]);
});

test("concurrent checks share their calls to a node", async () => {
  await scene.verify();
  expect(scene.calls.filter((call) => call.startsWith("10.10.0.21 "))).toHaveLength(6);
  // One of them is asked for the alarms of all.
  expect(scene.calls.filter((call) => call.startsWith("10.10.0.12 "))).toHaveLength(9);
  expect(scene.calls.filter((call) => call.startsWith("10.10.0.11 "))).toHaveLength(10);
  expect(scene.calls.filter((call) => call.startsWith("list ")).sort()).toEqual([
    "list DaemonSet",
    "list Deployment",
    "list Node",
    "list Pod",
  ]);
});

describe("a problem is reported by the check for it", () => {
  const only = { id: 1n, hostname: "cp-1", peerUrls: ["https://10.10.0.11:2380"], isLearner: false };
  const stranger = { id: 9n, hostname: "old", peerUrls: ["https://10.10.0.99:2380"], isLearner: false };
  const away = remoteError("TALOS_UNAVAILABLE", { message: "Unable", detail: "nobody answers", transient: true });

  test.each<[string, () => void, string[]]>([
    ["4 apid", () => scene.answerWith("10.10.0.21", "version", away), ["verify/talos fail: worker-1: nobody answers"]],
    [
      "1 etcd",
      () =>
        scene.answerWith("10.10.0.12", "services", [
          { ...running("etcd"), healthy: false, message: "no leader" },
          running("kubelet"),
        ]),
      [
        "verify/etcd fail: cp-2: etcd is not healthy: no leader",
        "verify/etcd fail: etcd has lost its quorum: 1 of 2 members are healthy, and it needs 2",
      ],
    ],
    [
      "2 members",
      () => scene.answerWith("10.10.0.12", "etcdMembers", [only]),
      ["verify/etcd-members fail: etcd members: cp-2 says 1 (cp-1), cp-1 says 2 (cp-1, cp-2)"],
    ],
    [
      "3 strangers",
      () => {
        const all = [only, { ...only, id: 2n, hostname: "cp-2" }, stranger];
        for (const ip of ["10.10.0.11", "10.10.0.12"]) scene.answerWith(ip, "etcdMembers", all);
      },
      ["verify/etcd-control-planes fail: etcd has the member old at 10.10.0.99, which is not a control plane of the config"],
    ],
    [
      "alarms",
      () => scene.answerWith("10.10.0.11", "etcdAlarms", [{ member: 2n, alarm: "CORRUPT" }]),
      ["verify/etcd-alarms fail: cp-2: etcd raises CORRUPT: its data differs from the other members'"],
    ],
    [
      "5 memory",
      () => scene.answerWith("10.10.0.21", "memoryBytes", 512 * 1024 ** 2),
      ["verify/memory fail: worker-1: 512 MiB of memory; Talos needs 874 MiB on a worker"],
    ],
    [
      "6 disk",
      () => scene.answerWith("10.10.0.21", "resource EPHEMERAL", resource("EPHEMERAL", { size: 1024 ** 3 })),
      ["verify/disk fail: worker-1: 1024 MiB for the volume EPHEMERAL; Talos needs 3932 MiB"],
    ],
    [
      "7 diagnostics",
      () =>
        scene.answerWith("10.10.0.21", "resources Diagnostics.runtime.talos.dev", [
          resource("x", { message: "addresses overlap", details: [] }),
        ]),
      ["verify/diagnostics fail: worker-1: addresses overlap"],
    ],
    [
      "8 kubelet",
      () => scene.answerWith("10.10.0.11", "services", [running("etcd"), { ...running("kubelet"), state: "Failed" }]),
      ["verify/kubelet fail: cp-1: kubelet is Failed"],
    ],
    [
      "9 boot",
      () => scene.answerWith("10.10.0.21", "resource machine", resource("machine", { stage: "booting" })),
      ["verify/boot fail: worker-1 is booting"],
    ],
    [
      "clocks",
      () => scene.answerWith("10.10.0.21", "time", { server: "ntp", local: Date.now() - 3_600_000, remote: 0 }),
      [
        expect.stringMatching(
          /^verify\/clocks fail: worker-1: its clock is 36\d\d s behind this computer's$/,
        ) as unknown as string,
      ],
    ],
    [
      "another name",
      () => scene.patch("Node", "worker-1", { metadata: { name: "old-name", labels: {} } }),
      ["verify/nodes fail: worker-1: is called old-name in Kubernetes"],
    ],
    [
      "labels and taints",
      () => {
        scene.nodes = NODES.map((node) =>
          node.role === "worker" ? { ...node, labels: { tier: "db" }, taints: { only: "db:NoSchedule" } } : node,
        );
      },
      ["verify/marks fail: worker-1: has no label tier=db; has no taint only=db:NoSchedule"],
    ],
    [
      "a GPU that is not available to pods",
      () => {
        scene.nodes = NODES.map((node) => (node.role === "worker" ? { ...node, gpu: "nvidia" } : node));
        scene.addons = [{ name: "nvidia", tier: "presets", parts: [], path: [] }];
      },
      ["verify/marks fail: worker-1: has a GPU in the config, but Kubernetes sees no nvidia.com/gpu there"],
    ],
    [
      "an addon that Helm knows nothing of",
      () => {
        const part = { kind: "release", name: "longhorn", namespace: "longhorn-system" };
        scene.addons = [{ name: "longhorn", tier: "presets", parts: [part], path: [] }];
      },
      ["verify/addons fail: longhorn: Helm has no record of it: it is not installed"],
    ],
    [
      "a repository that cannot be read",
      () => {
        const own = { apiVersion: "v1", kind: "GitRepository", metadata: { name: "cluster", namespace: "flux-system" } };
        scene.addons = [{ name: "flux", tier: "gitops", parts: [{ kind: "objects", name: "sync", objects: [own] }], path: [] }];
        const message = "failed to checkout: authentication required";
        scene.objects.GitRepository = {
          own: { ...own, status: { conditions: [{ type: "Ready", status: "False", message }] } } as object as KubernetesObject,
        };
      },
      ["verify/gitops fail: GitRepository flux-system/cluster is not Ready: failed to checkout: authentication required"],
    ],
    [
      "11 static pods",
      () => scene.answerWith("10.10.0.12", "resources StaticPodStatuses.kubernetes.talos.dev", []),
      ["verify/static-pods fail: cp-2 does not run kube-apiserver, kube-controller-manager, kube-scheduler"],
    ],
    [
      "12 control plane",
      () => scene.patch("Pod", "kube-scheduler-cp-2", { status: ready(false) }),
      ["verify/control-plane-pods fail: cp-2: kube-scheduler is not ready: Unknown"],
    ],
    [
      "14 kube-proxy",
      () =>
        scene.patch("DaemonSet", "kube-proxy", {
          metadata: { name: "kube-proxy", labels: { "k8s-app": "kube-proxy" } },
          status: { desiredNumberScheduled: 3 },
        }),
      ["verify/kube-proxy fail: kube-proxy: has 0 of 3 pods ready"],
    ],
    [
      "15 coredns",
      () => scene.patch("Pod", "coredns-a", { status: ready(false) }),
      ["verify/coredns fail: coredns: has 1 of 2 pods ready: Unknown"],
    ],
    [
      "16 cordon",
      () => scene.patch("Node", "worker-1", { spec: { unschedulable: true } }),
      ["verify/schedulable fail: worker-1: is cordoned: nothing new is scheduled on it"],
    ],
    [
      "other pods",
      () => scene.patch("Pod", "cilium-x", { status: ready(false) }),
      ["verify/pods fail: pod cilium-x: is not ready: Unknown"],
    ],
  ])("%s", async (_, breakIt, expected) => {
    breakIt();
    expect(await scene.wrong()).toEqual(expected);
  });

  test("10 and 13: a node that has not joined is missed and not Ready", async () => {
    delete scene.objects.Node?.["worker-1"];
    expect(await scene.wrong()).toEqual([
      "verify/nodes fail: worker-1: has not joined",
      "verify/ready fail: worker-1: has not joined",
    ]);
  });
});

test("another version fails at once, unless it was reported before", async () => {
  scene.answerWith("10.10.0.21", "version", { version: "v1.13.2", platform: "nocloud", mode: "cloud" });
  const node = scene.objects.Node?.["worker-1"] as KubernetesObject & { status: object };
  scene.patch("Node", "worker-1", { status: { ...node.status, nodeInfo: { kubeletVersion: "v1.36.2" } } });
  expect(await scene.wrong()).toEqual([
    "verify/talos fail: worker-1: Talos is v1.13.2, config says v1.13.9 (another version is an upgrade, which up does not do)",
    "verify/nodes fail: worker-1 runs Kubernetes v1.36.2, not v1.36.3 (another release is an upgrade, which up does not do)",
  ]);
  const other = (config: string, version: string) => ({ config, runs: [{ version, nodes: ["worker-1"] }] });
  scene.upgrade = { talos: other("v1.13.9", "v1.13.2"), kubernetes: other("v1.36.3", "v1.36.2"), images: [], withheld: [] };
  expect(await scene.wrong()).toEqual([]);
});

test("an addon that waits for an upgrade of the nodes is not missed", async () => {
  const part = { kind: "release", name: "longhorn", namespace: "longhorn-system" };
  scene.addons = [{ name: "longhorn", tier: "presets", parts: [part], path: [] }];
  scene.upgrade = { images: [], withheld: ["longhorn"] };
  expect(await scene.wrong()).toEqual([]);
});

test("a node in a container is not checked for memory and disk", async () => {
  scene.answerWith("10.10.0.21", "version", { version: "v1.13.9", platform: "container", mode: "container" });
  scene.answerWith("10.10.0.21", "memoryBytes", 1);
  scene.answerWith("10.10.0.21", "resource EPHEMERAL", undefined);
  expect(await scene.wrong()).toEqual([]);
});

test("calls that an older Talos does not support are not made", async () => {
  const unsupported = remoteError("TALOS_UNSUPPORTED", { message: "Unable" });
  for (const { ip } of NODES) {
    scene.answerWith(ip, "resource EPHEMERAL", unsupported);
    scene.answerWith(ip, "resources Diagnostics.runtime.talos.dev", unsupported);
  }
  expect(await scene.wrong()).toEqual([]);
});

test("a check waits for pending changes", async () => {
  const stages = ["booting", "booting", "running"];
  scene.answerWith("10.10.0.21", "resource machine", () => resource("machine", { stage: stages.shift() ?? "running" }));
  expect(await scene.wrong(PATIENT)).toEqual([]);
  expect(stages).toEqual([]);
});

describe("of a cluster at rest", () => {
  beforeEach(() => {
    scene.patience = { stillMs: 0, comingMs: 60_000 };
  });

  test("what is down is reported after one look", async () => {
    scene.patch("Pod", "cilium-x", { status: { ...ready(false), phase: "Running" } });
    expect(await scene.wrong()).toEqual(["verify/pods fail: pod cilium-x: is not ready: Running"]);
    expect(scene.calls.filter((call) => call === "list Pod")).toHaveLength(1);
  });

  test.each<[string, () => void]>([
    [
      "a pod that is being pulled",
      () => passing(() => scene.patch("Pod", "cilium-x", { status: { ...ready(false), phase: "Pending" } })),
    ],
    ["a service that starts", () => starting("10.10.0.11", "kubelet")],
    ["a node that boots", () => booting("10.10.0.21")],
  ])("%s is waited for", async (_, breakIt) => {
    breakIt();
    expect(await scene.wrong(PATIENT)).toEqual([]);
  });

  test("while a node boots, what it lacks is waited for", async () => {
    scene.patience = { stillMs: 20_000, comingMs: 60_000 };
    scene.patch("Pod", "cilium-x", { status: { ...ready(false), phase: "Running" } });
    booting("10.10.0.21", () => scene.patch("Pod", "cilium-x", { status: ready(true) }));
    expect(await scene.wrong(PATIENT)).toEqual([]);
  });

  /** Breaks something, which is well at the third look at the pods. */
  function passing(breakIt: () => void): void {
    const { Pod } = scene.objects;
    const healthy = { ...Pod };
    breakIt();
    const broken = { ...scene.objects.Pod };
    let looks = 0;
    Object.defineProperty(scene.objects, "Pod", { get: () => (++looks > 4 ? healthy : broken) });
  }

  function starting(ip: string, id: string): void {
    const states = ["Preparing", "Preparing", "Starting"];
    const services = () => [running("etcd"), { ...running(id), state: states.shift() ?? "Running" }];
    scene.answerWith(ip, "services", services);
  }

  function booting(ip: string, done = () => {}): void {
    let looks = 0;
    scene.answerWith(ip, "resource machine", () => {
      if (++looks <= 3) return resource("machine", { stage: "booting" });
      done();
      return resource("machine", { stage: "running" });
    });
  }
});

test("a chart that failed blocks only the checks about addons, a failed network those that pods need; all wait for both to end", () => {
  scene.addons = [{ name: "flux", tier: "gitops", parts: [{ kind: "release", name: "flux", namespace: "flux-system" }] }];
  const [base, network, chart] = ["bootstrap/kubernetes-api", "addon/cilium", "addon/flux"].map((step) => ({ step }));
  if (!base || !network || !chart) throw new Error("three steps");
  const checks = scene.checks({ after: [base], network: [network], addons: [network, chart] });
  const needing = (ref: { step: string }) => checks.filter(({ needs }) => needs.includes(ref)).map(({ id }) => id);
  expect(needing(base)).toEqual(checks.map(({ id }) => id));
  expect(needing(chart)).toEqual(["verify/addons", "verify/gitops"]);
  expect(needing(network)).toEqual(["verify/ready", "verify/coredns", "verify/pods", "verify/addons", "verify/gitops"]);
  for (const { id, after } of checks) expect([id, after]).toEqual([id, [network, chart]]);
});
