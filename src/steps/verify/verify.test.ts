import { beforeEach, describe, expect, test } from "vitest";
import type { PendingUpgrade } from "../../engine/result.ts";
import type { Finding, Read } from "../../engine/step.ts";
import { waitUntil } from "../../engine/until.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { KubernetesObject } from "../../kubernetes/objects.ts";
import { remoteError } from "../../lib/errors.ts";
import { Redactor } from "../../lib/secret.ts";
import { realWorld } from "../../lib/world/real.ts";
import type { Service, TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { verifyChecks } from "./checks.ts";

/* A cluster as its two APIs show it: what is broken in it, the check of that name must say, and no other one. */

/** The few minutes that checks are patient pass at once. */
const IMPATIENT = realWorld({ timeScale: 100_000 });
const PATIENT = realWorld({ timeScale: 100 });
const { signal } = new AbortController();
const NODES = [
  { name: "cp-1", ip: "10.10.0.11", role: "controlplane" },
  { name: "cp-2", ip: "10.10.0.12", role: "controlplane" },
  { name: "worker-1", ip: "10.10.0.21", role: "worker" },
].map((node) => ({ ...node, nics: [], labels: {}, taints: {}, patches: [] }));
const APPS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

type Answers = { [K in keyof TalosNode]?: unknown };
let talosAnswers: Record<string, Answers>;
let objects: Record<string, Record<string, KubernetesObject>>;
let calls: string[];
let cni: string;
let addons: object[];
let nodes: object[];
let upgrade: PendingUpgrade | undefined;
let kubeletCertificates: boolean;
let endpoint: string;
let endpointAnswer: true | { reason: string };

const running = (id: string): Service => ({ id, state: "Running", healthy: true, message: "" });
const resource = (id: string, spec: object) => ({ id, version: "1", phase: "running", spec });
const ready = (isReady: boolean) => ({ conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] });

beforeEach(() => {
  calls = [];
  cni = "cilium";
  addons = [];
  nodes = NODES;
  upgrade = undefined;
  kubeletCertificates = false;
  endpoint = "api.example.org";
  endpointAnswer = true;
  const members = [1, 2].map((n) => ({
    id: BigInt(n),
    hostname: `cp-${n}`,
    peerUrls: [`https://10.10.0.1${n}:2380`],
    isLearner: false,
  }));
  talosAnswers = Object.fromEntries(
    NODES.map(({ name, ip }) => [
      ip,
      {
        version: { version: "v1.13.9", platform: "nocloud", mode: "cloud" },
        memoryBytes: 4 * 1024 ** 3,
        services: [running("etcd"), running("kubelet")],
        etcdMembers: members,
        etcdAlarms: [],
        "resource EPHEMERAL": resource("EPHEMERAL", { size: 30e9 }),
        "resource machine": resource("machine", { stage: "running", status: { ready: true } }),
        "resources Diagnostics.runtime.talos.dev": [],
        "resources StaticPodStatuses.kubernetes.talos.dev": APPS.map((app) => resource(`kube-system/${app}-${name}`, {})),
      },
    ]),
  );
  const byName = (kind: string, all: { name: string; labels?: Record<string, string>; rest?: object }[]) =>
    Object.fromEntries(
      all.map(({ name, labels = {}, rest }) => [name, { apiVersion: "", kind, metadata: { name, labels }, ...rest }]),
    );
  objects = {
    Node: byName(
      "Node",
      NODES.map(({ name, ip, role }) => ({
        name,
        labels: role === "worker" ? {} : { "node-role.kubernetes.io/control-plane": "" },
        rest: {
          status: {
            ...ready(true),
            addresses: [{ type: "InternalIP", address: ip }],
            nodeInfo: { kubeletVersion: "v1.36.3" },
          },
        },
      })),
    ),
    Pod: byName("Pod", [
      ...["cp-1", "cp-2"].flatMap((node) =>
        APPS.map((app) => ({
          name: `${app}-${node}`,
          labels: { "k8s-app": app },
          rest: { spec: { nodeName: node }, status: ready(true) },
        })),
      ),
      ...["coredns-a", "coredns-b"].map((name) => ({ name, labels: { "k8s-app": "kube-dns" }, rest: { status: ready(true) } })),
      { name: "cilium-x", labels: { "k8s-app": "cilium" }, rest: { status: ready(true) } },
    ]),
    DaemonSet: {},
    Deployment: byName("Deployment", [{ name: "coredns", labels: { "k8s-app": "kube-dns" }, rest: { spec: { replicas: 2 } } }]),
  };
});

/** Answers what was set for it, throws it, or asks it. */
function answerOf(ip: string, key: string): Promise<unknown> {
  calls.push(`${ip} ${key}`);
  const answer = (talosAnswers[ip] as Record<string, unknown>)[key];
  if (answer instanceof Error) return Promise.reject(answer);
  return Promise.resolve(typeof answer === "function" ? answer() : answer);
}

const talos = {
  node: (ip: string) => ({
    version: () => answerOf(ip, "version"),
    memoryBytes: () => answerOf(ip, "memoryBytes"),
    services: () => answerOf(ip, "services"),
    etcdMembers: () => answerOf(ip, "etcdMembers"),
    etcdAlarms: () => answerOf(ip, "etcdAlarms"),
    time: async () => (await answerOf(ip, "time")) ?? { server: "ntp", local: Date.now(), remote: Date.now() },
    resource: ({ id }: { id: string }) => answerOf(ip, `resource ${id}`),
    resources: ({ type }: { type: string }) => answerOf(ip, `resources ${type}`),
  }),
} as unknown as TalosNodes;

const kubernetes = {
  list: async ({ kind }: { kind: string }) => {
    calls.push(`list ${kind}`);
    return Object.values(objects[kind] ?? {});
  },
  knows: async ({ kind }: { kind: string }) => objects[kind] !== undefined,
  readyAt: async () => endpointAnswer,
} as unknown as KubernetesClient;

const READS_FILES = ["verify/access", "verify/certificates"];

/** The findings of every check that reads no files and makes no pods, by its id. */
async function verify(world = IMPATIENT): Promise<Map<string, Finding[]>> {
  const cluster = { talos: "v1.13.9", kubernetes: "v1.36.3", endpoint, cni, kubeletCertificates };
  const config = { nodes, cluster, addons: { all: addons }, verify: { smoke: false } };
  const env = { folder: "/env", shown: "env", config, upgrade } as unknown as Environment;
  const access = { env, talos, kubernetes, near: world, redactor: new Redactor(), after: [] };
  const checks = verifyChecks(access).filter(({ id }) => !READS_FILES.includes(id));
  const pass = new Map<string, Promise<unknown>>();
  const c: Read = {
    world,
    signal,
    get: () => {
      throw new Error("needs nothing");
    },
    shared<T>(key: string, load: () => Promise<T>) {
      const loading = pass.get(key) ?? load();
      pass.set(key, loading);
      return loading as Promise<T>;
    },
    until: (condition) => waitUntil(condition, c, () => {}),
    say: () => {},
  };
  return new Map(await Promise.all(checks.map(async (check) => [check.id, await check.run(c)] as const)));
}

const wrong = (found: Map<string, Finding[]>) =>
  [...found].flatMap(([id, findings]) =>
    findings.filter(({ level }) => level !== "ok").map(({ level, message }) => `${id} ${level}: ${message}`),
  );

const answerWith = (ip: string, key: string, answer: unknown) => {
  talosAnswers[ip] = { ...talosAnswers[ip], [key]: answer };
};
const patch = (kind: string, name: string, change: object) => {
  const object = objects[kind]?.[name];
  (objects[kind] ?? {})[name] = { ...object, ...change } as KubernetesObject;
};

test("a cluster in which all is well has nothing wrong, and each check says so", async () => {
  const found = await verify();
  expect(wrong(found)).toEqual([]);
  for (const [id, findings] of found) expect([id, findings.length > 0]).toEqual([id, true]);
});

test("a node is asked a few things once, however many checks there are", async () => {
  await verify();
  expect(calls.filter((call) => call.startsWith("10.10.0.21 "))).toHaveLength(6);
  // One of them is asked for the alarms of all.
  expect(calls.filter((call) => call.startsWith("10.10.0.12 "))).toHaveLength(9);
  expect(calls.filter((call) => call.startsWith("10.10.0.11 "))).toHaveLength(10);
  expect(calls.filter((call) => call.startsWith("list ")).sort()).toEqual([
    "list DaemonSet",
    "list Deployment",
    "list Node",
    "list Pod",
  ]);
});

describe("what is broken is told by the check of its name", () => {
  const only = { id: 1n, hostname: "cp-1", peerUrls: ["https://10.10.0.11:2380"], isLearner: false };
  const stranger = { id: 9n, hostname: "old", peerUrls: ["https://10.10.0.99:2380"], isLearner: false };
  const away = remoteError("TALOS_UNAVAILABLE", { message: "Unable", detail: "nobody answers", transient: true });

  test.each<[string, () => void, string[]]>([
    ["4 apid", () => answerWith("10.10.0.21", "version", away), ["verify/talos fail: worker-1: nobody answers"]],
    [
      "1 etcd",
      () =>
        answerWith("10.10.0.12", "services", [{ ...running("etcd"), healthy: false, message: "no leader" }, running("kubelet")]),
      [
        "verify/etcd fail: cp-2: etcd is not healthy: no leader",
        "verify/etcd fail: etcd has lost its quorum: 1 of 2 members are healthy, and it needs 2",
      ],
    ],
    [
      "2 members",
      () => answerWith("10.10.0.12", "etcdMembers", [only]),
      ["verify/etcd-members fail: etcd members: cp-2 says 1 (cp-1), cp-1 says 2 (cp-1, cp-2)"],
    ],
    [
      "3 strangers",
      () => {
        const all = [only, { ...only, id: 2n, hostname: "cp-2" }, stranger];
        for (const ip of ["10.10.0.11", "10.10.0.12"]) answerWith(ip, "etcdMembers", all);
      },
      ["verify/etcd-control-planes fail: etcd has the member old at 10.10.0.99, which is no control plane of the config"],
    ],
    [
      "alarms",
      () => answerWith("10.10.0.11", "etcdAlarms", [{ member: 2n, alarm: "CORRUPT" }]),
      ["verify/etcd-alarms fail: cp-2: etcd raises CORRUPT: its data differs from the other members'"],
    ],
    [
      "5 memory",
      () => answerWith("10.10.0.21", "memoryBytes", 512 * 1024 ** 2),
      ["verify/memory fail: worker-1: 512 MiB of memory; Talos needs 874 MiB on a worker"],
    ],
    [
      "6 disk",
      () => answerWith("10.10.0.21", "resource EPHEMERAL", resource("EPHEMERAL", { size: 1024 ** 3 })),
      ["verify/disk fail: worker-1: 1024 MiB for what it keeps (EPHEMERAL); Talos needs 3932 MiB"],
    ],
    [
      "7 diagnostics",
      () =>
        answerWith("10.10.0.21", "resources Diagnostics.runtime.talos.dev", [
          resource("x", { message: "addresses overlap", details: [] }),
        ]),
      ["verify/diagnostics fail: worker-1: addresses overlap"],
    ],
    [
      "8 kubelet",
      () => answerWith("10.10.0.11", "services", [running("etcd"), { ...running("kubelet"), state: "Failed" }]),
      ["verify/kubelet fail: cp-1: kubelet is Failed"],
    ],
    [
      "9 boot",
      () => answerWith("10.10.0.21", "resource machine", resource("machine", { stage: "booting" })),
      ["verify/boot fail: worker-1 is booting"],
    ],
    [
      "clocks",
      () => answerWith("10.10.0.21", "time", { server: "ntp", local: Date.now() - 3_600_000, remote: 0 }),
      [expect.stringMatching(/^verify\/clocks fail: worker-1: its clock is 36\d\d s behind ours$/) as unknown as string],
    ],
    [
      "another name",
      () => patch("Node", "worker-1", { metadata: { name: "old-name", labels: {} } }),
      ["verify/nodes fail: worker-1: is called old-name in Kubernetes"],
    ],
    [
      "labels and taints",
      () => {
        nodes = NODES.map((node) =>
          node.role === "worker" ? { ...node, labels: { tier: "db" }, taints: { only: "db:NoSchedule" } } : node,
        );
      },
      ["verify/marks fail: worker-1: has no label tier=db; has no taint only=db:NoSchedule"],
    ],
    [
      "a GPU that nobody offers to pods",
      () => {
        nodes = NODES.map((node) => (node.role === "worker" ? { ...node, gpu: "nvidia" } : node));
        addons = [{ name: "nvidia", tier: "presets", parts: [], path: [] }];
      },
      ["verify/marks fail: worker-1: has a GPU in the config, and Kubernetes sees no nvidia.com/gpu there"],
    ],
    [
      "an addon that Helm knows nothing of",
      () => {
        const part = { kind: "release", name: "longhorn", namespace: "longhorn-system" };
        addons = [{ name: "longhorn", tier: "presets", parts: [part], path: [] }];
      },
      ["verify/addons fail: longhorn: Helm has no record of it: it is not installed"],
    ],
    [
      "a repository that cannot be read",
      () => {
        const own = { apiVersion: "v1", kind: "GitRepository", metadata: { name: "cluster", namespace: "flux-system" } };
        addons = [{ name: "flux", tier: "gitops", parts: [{ kind: "objects", name: "sync", objects: [own] }], path: [] }];
        const message = "failed to checkout: authentication required";
        objects.GitRepository = {
          own: { ...own, status: { conditions: [{ type: "Ready", status: "False", message }] } } as object as KubernetesObject,
        };
      },
      ["verify/gitops fail: GitRepository flux-system/cluster is not Ready: failed to checkout: authentication required"],
    ],
    [
      "11 static pods",
      () => answerWith("10.10.0.12", "resources StaticPodStatuses.kubernetes.talos.dev", []),
      ["verify/static-pods fail: cp-2 does not run kube-apiserver, kube-controller-manager, kube-scheduler"],
    ],
    [
      "12 control plane",
      () => patch("Pod", "kube-scheduler-cp-2", { status: ready(false) }),
      ["verify/control-plane-pods fail: cp-2: kube-scheduler is not ready: Unknown"],
    ],
    [
      "14 kube-proxy",
      () =>
        patch("DaemonSet", "kube-proxy", {
          metadata: { name: "kube-proxy", labels: { "k8s-app": "kube-proxy" } },
          status: { desiredNumberScheduled: 3 },
        }),
      ["verify/kube-proxy fail: kube-proxy: has 0 of 3 pods ready"],
    ],
    [
      "15 coredns",
      () => patch("Pod", "coredns-a", { status: ready(false) }),
      ["verify/coredns fail: coredns: has 1 of 2 pods ready: Unknown"],
    ],
    [
      "16 cordon",
      () => patch("Node", "worker-1", { spec: { unschedulable: true } }),
      ["verify/schedulable fail: worker-1: is cordoned: nothing new is scheduled on it"],
    ],
    [
      "other pods",
      () => patch("Pod", "cilium-x", { status: ready(false) }),
      ["verify/pods fail: pod cilium-x: is not ready: Unknown"],
    ],
  ])("%s", async (_, breakIt, expected) => {
    breakIt();
    expect(wrong(await verify())).toEqual(expected);
  });

  test("10 and 13: a node that has not joined is missed and not Ready", async () => {
    delete objects.Node?.["worker-1"];
    expect(wrong(await verify())).toEqual([
      "verify/nodes fail: worker-1: has not joined",
      "verify/ready fail: worker-1: has not joined",
    ]);
  });
});

test("another version fails at once, unless it was said before", async () => {
  answerWith("10.10.0.21", "version", { version: "v1.13.2", platform: "nocloud", mode: "cloud" });
  const node = objects.Node?.["worker-1"] as KubernetesObject & { status: object };
  patch("Node", "worker-1", { status: { ...node.status, nodeInfo: { kubeletVersion: "v1.36.2" } } });
  expect(wrong(await verify())).toEqual([
    "verify/talos fail: worker-1: Talos is v1.13.2, config says v1.13.9 (another version is an upgrade, which up does not do)",
    "verify/nodes fail: worker-1 runs Kubernetes v1.36.2, not v1.36.3 (another release is an upgrade, which up does not do)",
  ]);
  const other = (config: string, version: string) => ({ config, runs: [{ version, nodes: ["worker-1"] }] });
  upgrade = { talos: other("v1.13.9", "v1.13.2"), kubernetes: other("v1.36.3", "v1.36.2"), images: [], withheld: [] };
  expect(wrong(await verify())).toEqual([]);
});

test("a node in a container is asked for no memory and no disk of its own", async () => {
  answerWith("10.10.0.21", "version", { version: "v1.13.9", platform: "container", mode: "container" });
  answerWith("10.10.0.21", "memoryBytes", 1);
  answerWith("10.10.0.21", "resource EPHEMERAL", undefined);
  expect(wrong(await verify())).toEqual([]);
});

test("what an older Talos does not have is not asked for", async () => {
  const unsupported = remoteError("TALOS_UNSUPPORTED", { message: "Unable" });
  for (const { ip } of NODES) {
    answerWith(ip, "resource EPHEMERAL", unsupported);
    answerWith(ip, "resources Diagnostics.runtime.talos.dev", unsupported);
  }
  expect(wrong(await verify())).toEqual([]);
});

describe("with cluster.cni none", () => {
  const waiting =
    "cp-1, cp-2, worker-1: NotReady until you install a CNI, because cluster.cni is none; CoreDNS and all other pods wait for it";
  const set = (name: string, conditions: object) => {
    const node = objects.Node?.[name] as KubernetesObject & { status: object };
    patch("Node", name, { status: { ...node.status, ...conditions } });
  };
  const message = "Network plugin returns error: cni plugin not initialized";
  const unready = { conditions: [{ type: "Ready", status: "False", message }] };

  beforeEach(() => {
    cni = "none";
    for (const { name } of NODES) set(name, unready);
    patch("Pod", "coredns-a", { status: { ...ready(false), phase: "Pending" } });
  });

  /** A kubelet whose request nobody has approved. */
  const request = () => {
    const spec = { signerName: "kubernetes.io/kubelet-serving", username: "system:node:worker-1" };
    objects.CertificateSigningRequest = {
      a: { apiVersion: "", kind: "CertificateSigningRequest", metadata: { name: "csr-a" }, spec } as object as KubernetesObject,
    };
  };

  test("and no CNI yet, that is said once, and what needs a network is left out", async () => {
    kubeletCertificates = true;
    request();
    const found = await verify();
    expect(wrong(found)).toEqual([`verify/ready warn: ${waiting}`]);
    const left = [...found].flatMap(([id, findings]) => (findings.some(({ code }) => code === "NO_CNI") ? [id] : []));
    expect(left).toEqual(["verify/ready", "verify/coredns", "verify/pods", "verify/kubelet-certificates"]);
  });

  test("an endpoint that may be served from inside the cluster is left out; an address of a node must answer", async () => {
    endpointAnswer = { reason: "connection refused" };
    expect(wrong(await verify())).toEqual([`verify/ready warn: ${waiting}`]);
    endpoint = "10.10.0.11";
    expect(wrong(await verify())[0]).toContain(
      "verify/endpoint fail: the Kubernetes API does not answer at https://10.10.0.11:6443",
    );
  });

  test("and a CNI installed, everything is looked at", async () => {
    for (const { name } of NODES) set(name, ready(true));
    kubeletCertificates = true;
    request();
    expect(wrong(await verify())).toEqual([
      "verify/coredns fail: coredns: has 1 of 2 pods ready: Pending",
      "verify/kubelet-certificates fail: worker-1: its kubelet waits for its serving certificate to be approved",
    ]);
  });

  test("and a CNI that works elsewhere, a node without network is not well", async () => {
    set("cp-1", ready(true));
    expect(wrong(await verify())).toContain("verify/ready fail: worker-1: is NotReady: cni plugin not initialized");
  });

  test("and a chart that may bring a CNI, nodes must become Ready", async () => {
    addons = [{ name: "calico", tier: "charts", parts: [{ kind: "release", name: "calico", namespace: "calico" }], path: [] }];
    expect(wrong(await verify())).toContain("verify/ready fail: worker-1: is NotReady: cni plugin not initialized");
  });
});

test("what is on its way is given time", async () => {
  const stages = ["booting", "booting", "running"];
  answerWith("10.10.0.21", "resource machine", () => resource("machine", { stage: stages.shift() ?? "running" }));
  expect(wrong(await verify(PATIENT))).toEqual([]);
  expect(stages).toEqual([]);
});

test("a chart that failed blocks only the checks about addons, a failed network those that pods need; all wait for both to end", () => {
  const all = [{ name: "flux", tier: "gitops", parts: [{ kind: "release", name: "flux", namespace: "flux-system" }] }];
  const cluster = { talos: "v1.13.9", kubernetes: "v1.36.3", endpoint: "https://10.10.0.5:6443", cni: "cilium" };
  const config = { nodes, cluster, addons: { all }, verify: { smoke: false } };
  const env = { folder: "/env", shown: "env", config } as unknown as Environment;
  const [base, network, chart] = ["bootstrap/kubernetes-api", "addon/cilium", "addon/flux"].map((step) => ({ step }));
  if (!base || !network || !chart) throw new Error("three steps");
  const checks = verifyChecks({
    ...{ env, talos, kubernetes, near: IMPATIENT, redactor: new Redactor() },
    after: [base],
    network: [network],
    addons: [network, chart],
  });
  const needing = (ref: { step: string }) => checks.filter(({ needs }) => needs.includes(ref)).map(({ id }) => id);
  expect(needing(base)).toEqual(checks.map(({ id }) => id));
  expect(needing(chart)).toEqual(["verify/addons", "verify/gitops"]);
  expect(needing(network)).toEqual(["verify/ready", "verify/coredns", "verify/pods", "verify/addons", "verify/gitops"]);
  for (const { id, after } of checks) expect([id, after]).toEqual([id, [network, chart]]);
});
