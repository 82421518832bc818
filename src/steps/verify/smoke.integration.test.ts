import { Bench } from "@talosmith/lab/kubernetes/testing/bench.ts";
import { remoteError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Finding, Read } from "../../engine/step.ts";
import { waitUntil } from "../../engine/until.ts";
import type { Environment } from "../../environment/environment.ts";
import { type KubernetesClient, openKubernetes } from "../../kubernetes/client/kubernetes-client.ts";
import type { Node, Pod } from "../../kubernetes/objects.ts";
import { isPodReady } from "../../kubernetes/pod-state.ts";
import { Glances } from "./glances.ts";
import { smokeTest } from "./smoke.ts";

/* Against the lab's Kubernetes, whose pods have a network that can be broken. */

const NODES = [
  { name: "cp-1", ip: "10.10.0.11", role: "controlplane" },
  { name: "worker-1", ip: "10.10.0.21", role: "worker" },
  { name: "worker-2", ip: "10.10.0.22", role: "worker" },
];
const IMAGE = "registry.k8s.io/e2e-test-images/agnhost:2.53";
const { signal } = new AbortController();

let bench: Bench;
let kube: KubernetesClient;
let verify: { smoke: boolean; image: string; gpuImage: string };
/** Waits end long before they would have to, however busy the machine is. */
const PATIENT = realWorld({ timeScale: 10 });
/** Permanent problems are not waited for. */
const IMPATIENT = realWorld({ timeScale: 100 });

async function open(): Promise<void> {
  bench = await Bench.open({ workers: 2, timeScale: 200 });
  const { ca, certificate = "", key = "" } = bench.admin.who;
  kube = openKubernetes(PATIENT, async () => ({ servers: [bench.server], ca: ca ?? bench.ca, certificate, key }));
  await systemIsUp();
}

async function close(): Promise<void> {
  kube.close();
  await bench.close();
}

/** The addresses of nodes whose Talos does not answer. */
const silent = new Set<string>();

function answerOf(ip: string): object {
  if (silent.has(ip)) throw remoteError("TALOS_UNAVAILABLE", { message: `Unable to reach ${ip}`, transient: true });
  return {};
}

beforeEach(() => {
  silent.clear();
  verify = { smoke: true, image: IMAGE, gpuImage: "busybox" };
});

async function systemIsUp(): Promise<void> {
  await bench.until(async () => {
    const nodes = await kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
    const ready = nodes.filter(({ status }) => status?.conditions?.some((it) => it.type === "Ready" && it.status === "True"));
    return ready.length === 3 && (await systemPods()).every(isPodReady);
  }, "a cluster that is up");
}

function systemPods(labelSelector?: string): Promise<Pod[]> {
  const of = { apiVersion: "v1", kind: "Pod", namespace: "kube-system" };
  return kube.list<Pod>({ ...of, ...(labelSelector !== undefined && { labelSelector }) }, signal);
}

async function tried(world = PATIENT): Promise<Finding[]> {
  const cluster = { talos: "v1.13.9", dnsDomain: "cluster.local", cni: "flannel", scheduleOnControlPlanes: false };
  const env = { config: { nodes: NODES, cluster, verify } } as unknown as Environment;
  const c = { world, signal, until: (condition: Parameters<Read["until"]>[0]) => waitUntil(condition, c, () => {}) } as Read;
  const talos = { node: (ip: string) => ({ version: async () => answerOf(ip) }) } as never;
  const access = { env, talos, kubernetes: kube, near: world, redactor: new Redactor(), after: [], glances: new Glances() };
  return smokeTest(access).run(c);
}

const messages = (findings: Finding[]) => findings.map(({ level, message }) => `${level}: ${message.split("\n")[0]}`);
const namespaces = async () =>
  (await kube.list({ apiVersion: "v1", kind: "Namespace" }, signal)).map(({ metadata }) => metadata.name);

/** Removes the DaemonSet from this node, as a wrong node selector would. */
async function without(set: string, node: string): Promise<void> {
  const expression = { key: "kubernetes.io/hostname", operator: "NotIn", values: [node] };
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
  };
  const of = { apiVersion: "apps/v1", kind: "DaemonSet", namespace: "kube-system", name: set };
  await kube.merge(of, { spec: { template: { spec: { affinity } } } }, signal);
  const isGone = async () =>
    (await systemPods()).every(({ metadata, spec }) => !metadata.name.startsWith(set) || spec?.nodeName !== node);
  await bench.until(isGone, `${set} gone from ${node}`);
}

describe("in a sound cluster", () => {
  beforeAll(open);
  afterAll(close);

  test("pods of a sound cluster reach everything, and nothing is left of them", async () => {
    const before = kube.calls();
    expect(messages(await tried())).toEqual([
      "ok: pods on all 2 nodes that accept them reach the API, cluster DNS and each other",
    ]);
    // A handful for each of two nodes, and as many polls as it took.
    expect(kube.calls() - before).toBeLessThan(30);
    expect(await namespaces()).not.toContain("talosmith-smoke");
  });

  test("a node whose Talos does not answer gets no pod to wait for", async () => {
    silent.add("10.10.0.22");
    expect(messages(await tried())).toEqual(["ok: pods on worker-1 reach the API, cluster DNS and each other"]);
  });

  test("an image that no registry has is reported with a hint for clusters without internet access", async () => {
    verify = { ...verify, image: "registry.example.org/none:1" };
    const findings = await tried(IMPATIENT);
    expect(messages(findings)).toEqual(
      ["worker-1", "worker-2"].map((node) => `fail: ${node}: the image registry.example.org/none:1 cannot be pulled`),
    );
    expect(findings[0]?.hint).toContain("verify.image");
  });

  test("leftovers of a killed run are removed first", async () => {
    const labels = { "app.kubernetes.io/managed-by": "talosmith" };
    await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "talosmith-smoke", labels } }, signal);
    expect(messages(await tried())[0]).toMatch(/^ok: /);
    expect(await namespaces()).not.toContain("talosmith-smoke");
  });

  test("no pod is created when verify.smoke is false", async () => {
    verify = { ...verify, smoke: false };
    const before = kube.calls();
    expect(messages(await tried())).toEqual(["ok: not tried: verify.smoke is false"]);
    expect(kube.calls()).toBe(before);
  });

  test("tainted nodes are tried, too; cordoned ones are not", async () => {
    const node = (name: string) => ({ apiVersion: "v1", kind: "Node", name });
    await kube.merge(node("worker-1"), { spec: { taints: [{ key: "only", value: "db", effect: "NoExecute" }] } }, signal);
    await kube.merge(node("worker-2"), { spec: { unschedulable: true } }, signal);
    await bench.until(async () => (await systemPods("k8s-app=kube-dns")).filter(isPodReady).length === 2, "CoreDNS elsewhere");
    expect(messages(await tried())).toEqual(["ok: pods on worker-1 reach the API, cluster DNS and each other"]);
  });

  test("a namespace of that name that talosmith did not create is kept", async () => {
    await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "talosmith-smoke" } }, signal);
    await expect(tried()).rejects.toMatchObject({ code: "SMOKE_NAMESPACE" });
    expect(await namespaces()).toContain("talosmith-smoke");
  });
});

describe("a pod that cannot reach", () => {
  beforeEach(open);
  afterEach(close);

  test("the API is reported with its node, curl's output and a hint", async () => {
    await without("kube-proxy", "worker-2");
    const findings = await tried();
    expect(messages(findings)).toEqual([
      "fail: worker-2: a pod cannot reach the Kubernetes API through its service address (exit code 7)",
      "fail: worker-2: a pod gets no answer from cluster DNS for kubernetes.default.svc.cluster.local (exit code 1)",
    ]);
    expect(findings[0]?.message).toContain("curl: (7) Failed to connect to 10.96.0.1 port 443");
    expect(findings[0]?.hint).toContain("kube-proxy");
    expect(await namespaces()).not.toContain("talosmith-smoke");
  });

  test("cluster DNS says so on every node, while all else is well", async () => {
    const of = { apiVersion: "apps/v1", kind: "Deployment", namespace: "kube-system", name: "coredns" };
    await kube.merge(of, { spec: { replicas: 0 } }, signal);
    await bench.until(async () => (await systemPods("k8s-app=kube-dns")).length === 0, "CoreDNS gone");
    expect(messages(await tried())).toEqual(
      ["worker-1", "worker-2"].map(
        (node) => `fail: ${node}: a pod gets no answer from cluster DNS for kubernetes.default.svc.cluster.local (exit code 1)`,
      ),
    );
  });

  test("a pod of another node says which", async () => {
    await without("kube-flannel", "worker-2");
    const findings = messages(await tried());
    expect(findings).toContain("fail: worker-1: a pod cannot reach a pod on worker-2 (exit code 28)");
    expect(findings).toContain("fail: worker-2: a pod cannot reach a pod on worker-1 (exit code 28)");
  });
});
