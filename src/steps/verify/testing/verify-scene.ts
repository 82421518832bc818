import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { PendingUpgrade } from "../../../engine/result.ts";
import type { Check, Finding, Read, Ref } from "../../../engine/step.ts";
import { waitUntil } from "../../../engine/until.ts";
import type { Environment } from "../../../environment/environment.ts";
import type { KubernetesClient } from "../../../kubernetes/client/kubernetes-client.ts";
import type { KubernetesObject } from "../../../kubernetes/objects.ts";
import type { Service, TalosNode } from "../../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import { verifyChecks } from "../checks.ts";
import { AFTER_CHANGES, type Patience } from "../eventually.ts";

/** The patience of checks takes no real time. */
const IMPATIENT = realWorld({ timeScale: 100_000 });
export const PATIENT = realWorld({ timeScale: 100 });
const { signal } = new AbortController();
export const NODES = [
  { name: "cp-1", ip: "10.10.0.11", role: "controlplane" },
  { name: "cp-2", ip: "10.10.0.12", role: "controlplane" },
  { name: "worker-1", ip: "10.10.0.21", role: "worker" },
].map((node) => ({ ...node, nics: [], labels: {}, taints: {}, patches: [] }));
const APPS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];
const READS_FILES = ["verify/access", "verify/certificates"];

export const running = (id: string): Service => ({ id, state: "Running", healthy: true, message: "" });
export const resource = (id: string, spec: object) => ({ id, version: "1", phase: "running", spec });
export const ready = (isReady: boolean) => ({ conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] });

type Answers = { [K in keyof TalosNode]?: unknown };

/** A healthy cluster with its two APIs, in which a test breaks one thing. */
export class VerifyScene {
  readonly calls: string[] = [];
  cni = "cilium";
  addons: object[] = [];
  nodes: object[] = NODES;
  upgrade: PendingUpgrade | undefined;
  kubeletCertificates = false;
  /** As in `up`, after changes. */
  patience: Patience = AFTER_CHANGES;
  endpoint = "api.example.org";
  endpointAnswer: true | { reason: string } = true;
  readonly objects = healthyObjects();
  readonly #talosAnswers = healthyAnswers();

  readonly #talos = {
    node: (ip: string) => ({
      version: () => this.#answerOf(ip, "version"),
      memoryBytes: () => this.#answerOf(ip, "memoryBytes"),
      services: () => this.#answerOf(ip, "services"),
      etcdMembers: () => this.#answerOf(ip, "etcdMembers"),
      etcdAlarms: () => this.#answerOf(ip, "etcdAlarms"),
      time: async () => (await this.#answerOf(ip, "time")) ?? { server: "ntp", local: Date.now(), remote: Date.now() },
      resource: ({ id }: { id: string }) => this.#answerOf(ip, `resource ${id}`),
      resources: ({ type }: { type: string }) => this.#answerOf(ip, `resources ${type}`),
    }),
  } as unknown as TalosNodes;

  readonly #kubernetes = {
    list: async ({ kind }: { kind: string }) => {
      this.calls.push(`list ${kind}`);
      return Object.values(this.objects[kind] ?? {});
    },
    knows: async ({ kind }: { kind: string }) => this.objects[kind] !== undefined,
    readyAt: async () => this.endpointAnswer,
  } as unknown as KubernetesClient;

  answerWith(ip: string, key: string, answer: unknown): void {
    this.#talosAnswers[ip] = { ...this.#talosAnswers[ip], [key]: answer };
  }

  patch(kind: string, name: string, change: object): void {
    const object = this.objects[kind]?.[name];
    (this.objects[kind] ?? {})[name] = { ...object, ...change } as KubernetesObject;
  }

  checks(before: { after: Ref<unknown>[]; network?: Ref<unknown>[]; addons?: Ref<unknown>[] }, world = IMPATIENT): Check[] {
    const { endpoint, cni, kubeletCertificates, nodes, addons, upgrade } = this;
    const cluster = { talos: "v1.13.9", kubernetes: "v1.36.3", endpoint, cni, kubeletCertificates };
    const config = { nodes, cluster, addons: { all: addons }, verify: { smoke: false } };
    const env = { folder: "/env", shown: "env", config, upgrade } as unknown as Environment;
    return verifyChecks({
      ...{ env, talos: this.#talos, kubernetes: this.#kubernetes, near: world, redactor: new Redactor() },
      ...before,
      patience: () => this.patience,
    });
  }

  /** The findings by check id, of checks that read no files and create no pods. */
  async verify(world = IMPATIENT): Promise<Map<string, Finding[]>> {
    const checks = this.checks({ after: [] }, world).filter(({ id }) => !READS_FILES.includes(id));
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
      failed: () => undefined,
    };
    return new Map(await Promise.all(checks.map(async (check) => [check.id, await check.run(c)] as const)));
  }

  /** The problems that the checks report: "verify/etcd fail: …". */
  async wrong(world = IMPATIENT): Promise<string[]> {
    return wrongOf(await this.verify(world));
  }

  /** Returns the configured response, throws it, or calls it. */
  #answerOf(ip: string, key: string): Promise<unknown> {
    this.calls.push(`${ip} ${key}`);
    const answer = (this.#talosAnswers[ip] as Record<string, unknown>)[key];
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(typeof answer === "function" ? answer() : answer);
  }
}

export function wrongOf(found: Map<string, Finding[]>): string[] {
  return [...found].flatMap(([id, findings]) =>
    findings.filter(({ level }) => level !== "ok").map(({ level, message }) => `${id} ${level}: ${message}`),
  );
}

function healthyAnswers(): Record<string, Answers> {
  const members = [1, 2].map((n) => ({
    id: BigInt(n),
    hostname: `cp-${n}`,
    peerUrls: [`https://10.10.0.1${n}:2380`],
    isLearner: false,
  }));
  return Object.fromEntries(
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
}

function healthyObjects(): Record<string, Record<string, KubernetesObject>> {
  const byName = (kind: string, all: { name: string; labels?: Record<string, string>; rest?: object }[]) =>
    Object.fromEntries(
      all.map(({ name, labels = {}, rest }) => [name, { apiVersion: "", kind, metadata: { name, labels }, ...rest }]),
    );
  return {
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
}
