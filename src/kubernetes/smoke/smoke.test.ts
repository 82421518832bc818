import { remoteError } from "@talosmith/lib/errors.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { beforeEach, describe, expect, test } from "vitest";
import type { Read } from "../../engine/step.ts";
import { waitUntil } from "../../engine/until.ts";
import type { KubernetesClient, ObjectRef } from "../client/kubernetes-client.ts";
import type { ContainerStatus, KubernetesObject, Pod } from "../objects.ts";
import type { SmokeNode, SmokePod } from "./pods.ts";
import { type SmokeWish, smoke } from "./smoke.ts";

/* A cluster in memory whose pods are what a test says they are. What a real network does to them is tried in steps/verify/smoke.integration.test.ts. */

const world = realWorld({ timeScale: 10_000 });
let objects: Map<string, KubernetesObject>;
/** The fate of pods by name prefix; without an entry a pod succeeds. */
let fates: Record<string, (pod: SmokePod) => Pod["status"]>;
let stop: AbortController;
let isStuck: boolean;

const keyOf = (kind: string, name: string) => `${kind} ${name}`;
const worker = (name: string, rest: Partial<SmokeNode> = {}): SmokeNode => ({ name, taints: [], gpu: false, ...rest });
const pods = () => [...objects.values()].filter(({ kind }) => kind === "Pod") as SmokePod[];
const ended = (name: string, exitCode: number): ContainerStatus => ({
  name,
  state: { terminated: { exitCode, reason: "Error" } },
});
const containersOf = ({ spec }: SmokePod) => spec.containers as { name: string; command?: string[] }[];

beforeEach(() => {
  objects = new Map();
  fates = {};
  stop = new AbortController();
  isStuck = false;
});

function statusOf(pod: SmokePod): Pod["status"] {
  const { name } = pod.metadata;
  const fate = Object.entries(fates).find(([start]) => name.startsWith(start))?.[1];
  if (fate) return fate(pod);
  if (name.startsWith("listener")) {
    const podIP = `10.244.0.${name.replace("listener-", "")}`;
    return { phase: "Running", podIP, conditions: [{ type: "Ready", status: "True" }] };
  }
  return { phase: "Succeeded", containerStatuses: containersOf(pod).map((it) => ended(it.name, 0)) };
}

const kube = {
  get: async ({ kind, name }: ObjectRef) =>
    kind === "Service" ? { spec: { clusterIP: "10.96.0.1" } } : objects.get(keyOf(kind, name)),
  list: async () => pods().map((pod) => ({ ...pod, status: statusOf(pod) })),
  apply: async (object: KubernetesObject, signal: AbortSignal) => {
    signal.throwIfAborted();
    objects.set(keyOf(object.kind, object.metadata.name), structuredClone(object));
  },
  delete: async ({ name }: ObjectRef, _: object, signal: AbortSignal) => {
    signal.throwIfAborted();
    const there = objects.get(keyOf("Namespace", name));
    if (there && isStuck) there.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    else objects.clear();
    return there !== undefined;
  },
  logs: async () => "first\nlast\nlast\n",
} as unknown as KubernetesClient;

function run(nodes: SmokeNode[], rest: Partial<SmokeWish> = {}) {
  const c = { world, signal: stop.signal, until: (it) => waitUntil(it, c, () => {}) } as Read;
  return smoke(kube, { nodes, image: "agnhost", gpuImage: "cuda", dnsDomain: "cluster.local", ...rest }, c);
}

test("each node's pod asks the next node's listener, the last one's the first, and nothing stays", async () => {
  const asked: Record<string, string | undefined> = {};
  fates.probe = (pod) => {
    const command = containersOf(pod).find(({ name }) => name === "pod")?.command;
    asked[pod.metadata.name] = command?.at(-1);
    return { phase: "Succeeded", containerStatuses: containersOf(pod).map((it) => ended(it.name, 0)) };
  };
  const { answers, partners, left } = await run([worker("a"), worker("b"), worker("c")]);
  expect(answers.filter(({ is }) => is !== "yes")).toEqual([]);
  expect(asked).toEqual({
    "probe-0": "http://10.244.0.1:8080/",
    "probe-1": "http://10.244.0.2:8080/",
    "probe-2": "http://10.244.0.0:8080/",
  });
  expect([...partners.values()]).toEqual(["b", "c", "a"]);
  expect([left, objects.size]).toEqual([false, 0]);
});

test("a failed question is reported with its exit code and the log's last lines, without duplicates", async () => {
  fates["probe-1"] = () => ({ phase: "Failed", containerStatuses: [ended("api", 0), ended("dns", 1), ended("pod", 0)] });
  fates.dns = () => ({ phase: "Failed", containerStatuses: [ended("dns", 1)] });
  const { answers } = await run([worker("a"), worker("b")]);
  expect(answers.filter(({ is }) => is !== "yes")).toEqual([
    { node: "b", asked: "dns", is: "no", why: "exit code 1", log: ["first", "last"] },
  ]);
});

test("a node whose image cannot be pulled is reported once, and its listener is not waited for", async () => {
  const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
  // A pod gets its address before its image.
  fates["listener-1"] = () => ({
    phase: "Pending",
    podIP: "10.244.0.9",
    containerStatuses: [{ name: "listener", state: { waiting } }],
  });
  const { answers, partners } = await run([worker("a"), worker("b"), worker("c")]);
  expect(answers.filter(({ is }) => is !== "yes")).toEqual([
    { node: "b", asked: "start", is: "unstarted", why: "ImagePullBackOff: Back-off pulling image", image: "agnhost" },
  ]);
  expect(Object.fromEntries(partners)).toEqual({ a: "c", c: "a" });
});

test("cluster DNS that refuses at first, as after a power cut, is asked again", async () => {
  const refused = (it: { name: string }) => ended(it.name, it.name === "dns" ? 1 : 0);
  fates["probe-1"] = (pod) => ({ phase: "Failed", containerStatuses: containersOf(pod).map(refused) });
  fates["dns-1-1"] = (pod) => ({ phase: "Failed", containerStatuses: containersOf(pod).map(refused) });
  const { answers } = await run([worker("a"), worker("b")]);
  expect(answers.filter(({ is }) => is !== "yes")).toEqual([]);
});

test("cluster DNS that goes on refusing fails the test, and other nodes are not asked again", async () => {
  const asked: string[] = [];
  fates["probe-1"] = () => ({ phase: "Failed", containerStatuses: [ended("api", 0), ended("dns", 1), ended("pod", 0)] });
  fates.dns = ({ metadata }) => {
    asked.push(metadata.name);
    return { phase: "Failed", containerStatuses: [ended("dns", 1)] };
  };
  const { answers } = await run([worker("a"), worker("b")]);
  expect(answers.filter(({ is }) => is !== "yes").map(({ node, asked: what }) => `${node} ${what}`)).toEqual(["b dns"]);
  expect([...new Set(asked)]).toEqual([1, 2, 3, 4, 5, 6].map((round) => `dns-1-${round}`));
});

describe("a GPU", () => {
  test("is tried where there is one, with the runtime class where one is needed", async () => {
    const seen: unknown[] = [];
    fates.gpu = ({ spec }) => {
      seen.push(spec.runtimeClassName);
      return { phase: "Succeeded", containerStatuses: [ended("gpu", 0)] };
    };
    const { answers } = await run([worker("a"), worker("b", { gpu: true })], { gpuRuntimeClass: "nvidia" });
    expect(answers.filter(({ asked }) => asked === "gpu")).toEqual([{ node: "b", asked: "gpu", is: "yes" }]);
    expect(new Set(seen)).toEqual(new Set(["nvidia"]));
  });

  test("that others use is not tried", async () => {
    // The scheduler's message.
    const message = "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].";
    fates.gpu = () => ({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    const { answers } = await run([worker("a", { gpu: true })]);
    expect(answers.filter(({ asked }) => asked === "gpu")).toEqual([
      { node: "a", asked: "gpu", is: "untried", why: "all of its GPUs are in use" },
    ]);
  });
});

test("taints of its node are tolerated by name, and no others", async () => {
  let tolerations: unknown;
  fates.listener = (pod) => {
    tolerations = pod.spec.tolerations;
    return { phase: "Failed" };
  };
  await run([worker("a", { taints: [{ key: "only", value: "db", effect: "NoSchedule" }] })]);
  expect(tolerations).toEqual([{ key: "only", operator: "Exists", effect: "NoSchedule" }]);
});

test("an interruption leaves nothing behind either", async () => {
  fates.listener = () => {
    stop.abort(new Error("interrupted"));
    return { phase: "Pending" };
  };
  await expect(run([worker("a")])).rejects.toThrow("interrupted");
  expect(objects.size).toBe(0);
});

test("a namespace that does not go is said to be left", async () => {
  isStuck = true;
  expect((await run([worker("a")])).left).toBe(true);
});

test("an API server that is away for a moment spoils nothing", async () => {
  const away = remoteError("KUBERNETES_UNREACHABLE", { message: "Unable", detail: "gone", transient: true });
  const { apply } = kube;
  const failing = new Set(["Namespace", "Pod"]);
  const flaky = {
    ...kube,
    apply: async (object: KubernetesObject, signal: AbortSignal) => {
      if (failing.delete(object.kind)) throw away;
      return apply(object, signal);
    },
  } as KubernetesClient;
  const c = { world, signal: stop.signal, until: (it) => waitUntil(it, c, () => {}) } as Read;
  const { answers } = await smoke(flaky, { nodes: [worker("a")], image: "i", gpuImage: "g", dnsDomain: "x" }, c);
  expect(answers.map(({ is }) => is)).toEqual(["yes", "yes", "yes"]);
});
