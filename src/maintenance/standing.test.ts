import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { Node } from "../kubernetes/objects.ts";
import { canTakePods, isReady, nodeNamed, notServing, type ServiceNode, standingOf } from "./standing.ts";
import { controlPlane, first, NODES, Scene, second } from "./testing/scene.ts";

test("while the Kubernetes API does not answer, a broken node is repaired and a healthy one is left untouched", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  const maintenance = scene.maintenance();
  await expect(maintenance.restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "KUBERNETES_SILENT",
  });
  expect(scene.log).toEqual([]);
  scene.boots.delete(second.ip);
  await maintenance.restart(second, scene.c(), { act: async () => void scene.log.push("act") });
  expect(scene.log).toEqual(["act"]);
});

test("while the Kubernetes API does not answer, a control plane whose own etcd is unhealthy is repaired", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.unhealthy.add(controlPlane.ip);
  const act = async () => void scene.log.push("act");
  await scene.maintenance().restart(controlPlane, scene.c(), { act });
  expect(scene.log).toEqual(["act"]);
});

const condition = (type: string, status: string) => ({ type, status });
const nodeOf = (conditions: object[] | undefined, more: object = {}) =>
  ({ metadata: { name: "worker-1" }, status: { conditions, ...more } }) as unknown as Node;
const READY = [condition("MemoryPressure", "False"), condition("Ready", "True")];

test.each([
  ["its Ready condition is True", READY, true],
  ["its Ready condition is False", [condition("Ready", "False")], false],
  ["its Ready condition is Unknown", [condition("Ready", "Unknown")], false],
  ["only another condition is True", [condition("MemoryPressure", "True"), condition("Ready", "False")], false],
  ["it has no conditions", undefined, false],
])("whether a node is Ready when %s", (_, conditions, expected) => {
  expect(isReady(nodeOf(conditions))).toBe(expected);
});

test.each([
  ["Ready since this boot", nodeOf(READY, { nodeInfo: { bootID: "b" } }), undefined],
  ["Ready, of unknown boot", nodeOf(READY), undefined],
  ["Ready since an earlier boot", nodeOf(READY, { nodeInfo: { bootID: "a" } }), "its kubelet has not reported since it started"],
  ["NotReady since this boot", nodeOf([], { nodeInfo: { bootID: "b" } }), "it is NotReady"],
  ["not shown", undefined, "it has not joined Kubernetes"],
])("why a node that is %s does not serve", (_, node, why) => {
  expect(notServing(node, "b")).toBe(why);
});

const spec = (more: object) => ({ ...nodeOf(READY), spec: more }) as Node;
const taint = (effect: string) => ({ taints: [{ key: "dedicated", effect }] });

test.each<[string, Node, boolean]>([
  ["is Ready", nodeOf(READY), true],
  ["is NotReady", nodeOf([]), false],
  ["is cordoned", spec({ unschedulable: true }), false],
  ["refuses new pods", spec(taint("NoSchedule")), false],
  ["refuses pods", spec(taint("NoExecute")), false],
  ["prefers no pods", spec(taint("PreferNoSchedule")), true],
])("whether a node that %s can take pods", (_, node, expected) => {
  expect(canTakePods(node)).toBe(expected);
});

test("a node is found by its name", () => {
  const [one, other] = [nodeOf(READY), { ...nodeOf([]), metadata: { name: "worker-2" } } as Node];
  expect(nodeNamed([one, other], "worker-2")).toBe(other);
  expect(nodeNamed([one, other], "worker-3")).toBeUndefined();
});

const standing = (scene: Scene, node: ServiceNode, bootstrapped = true) =>
  standingOf(scene.spec({ bootstrapped }), node, scene.c());

test("while Kubernetes answers, a node serves when it is shown as Ready", async () => {
  const scene = new Scene();
  scene.node("worker-2", { ready: "Unknown" });
  scene.kube.drop({ kind: "Node", name: "worker-3" });
  const all = NODES.slice(1).map((node) => standing(scene, node));
  expect(await Promise.all(all)).toEqual(["serving", "down", "down"]);
  expect(scene.now()).toBe(0);
});

const SILENT = "KUBERNETES_SILENT";
const standingOrCode = (scene: Scene, node: ServiceNode, bootstrapped?: boolean) =>
  standing(scene, node, bootstrapped).catch(({ code }: { code: string }) => code);

const ownApiServer = (scene: Scene) => {
  scene.kube.readyAt = async () => true;
  return scene;
};

test.each<[string, ServiceNode, (scene: Scene) => unknown, string]>([
  ["a worker with a healthy kubelet", first, () => {}, SILENT],
  ["a worker without a healthy kubelet", first, (scene) => scene.withoutKubelet.add(first.ip), "down"],
  ["a worker, whatever its etcd and its own port 6443 say", first, (scene) => scene.unhealthy.add(first.ip), SILENT],
  ["a silent worker", first, (scene) => scene.boots.delete(first.ip), "down"],
  ["a machine without a config", first, (scene) => scene.answers.set(first.ip, { is: "waiting", key: "k" }), "down"],
  ["a machine of another cluster", first, (scene) => scene.answers.set(first.ip, { is: "stranger", why: "" }), "down"],
  [
    "a worker that answers with an error",
    first,
    (scene) => scene.answers.set(first.ip, remoteError("NO", { message: "" })),
    "down",
  ],
  [
    "a control plane without a healthy kubelet",
    controlPlane,
    (scene) => ownApiServer(scene).withoutKubelet.add(controlPlane.ip),
    "down",
  ],
  ["a control plane without a healthy etcd", controlPlane, (scene) => ownApiServer(scene).unhealthy.add(controlPlane.ip), "down"],
  ["a control plane whose own API server is silent", controlPlane, () => {}, "down"],
])("while Kubernetes is silent, %s", async (_, node, change, expected) => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  change(scene);
  expect(await standingOrCode(scene, node)).toBe(expected);
  expect(scene.now()).toBe(expected === SILENT ? 5 * 60_000 : 0);
});

test("while Kubernetes is silent, a control plane whose own API server answers is healthy", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  const asked: unknown[] = [];
  scene.kube.readyAt = async (...at: unknown[]) => {
    asked.push(at[0]);
    return true;
  };
  expect(await standingOrCode(scene, controlPlane)).toBe(SILENT);
  expect(asked[0]).toBe("https://10.0.0.1:6443");
});

test("while Kubernetes is silent, a worker is not asked for an API server", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.kube.readyAt = () => Promise.reject(new Error("workers have no API server"));
  expect(await standingOrCode(scene, first)).toBe(SILENT);
});

test("the error says that the node is left alone, and why Kubernetes does not answer", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  await expect(standing(scene, first)).rejects.toMatchObject({ code: SILENT, detail: "connection refused" });
});

test("an API server that was just restarted is waited for", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.after(60_000, () => {
    scene.kube.notReady = undefined;
  });
  expect(await standing(scene, first)).toBe("serving");
  expect(scene.now()).toBeGreaterThanOrEqual(60_000);
});

test.each<[string, (scene: Scene) => unknown, string]>([
  ["no control plane has an etcd", (scene) => scene.joining.add(controlPlane.ip), "down"],
  ["etcd is healthy", () => {}, SILENT],
  ["etcd runs and is unhealthy", (scene) => scene.unhealthy.add(controlPlane.ip), SILENT],
])("without a mark there is a cluster when a control plane has an etcd: %s", async (_, change, expected) => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  change(scene);
  expect(await standingOrCode(scene, first, false)).toBe(expected);
});

test("with a mark there is a cluster, whatever etcd says", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.joining.add(controlPlane.ip);
  expect(await standingOrCode(scene, first, true)).toBe(SILENT);
});

test("an error of Kubernetes that is no silence is passed on", async () => {
  const scene = new Scene();
  scene.kube.ready = () => Promise.reject(remoteError("KUBERNETES_FORBIDDEN", { message: "forbidden" }));
  expect(await standingOrCode(scene, first)).toBe("KUBERNETES_FORBIDDEN");
});

test("a bug while a node is asked is not taken for a broken node", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  scene.answers.set(first.ip, new TypeError("x is not a function"));
  await expect(standing(scene, first)).rejects.toThrow("x is not a function");
});

test("an interrupt while a node is asked is not taken for a broken node", async () => {
  const scene = new Scene();
  scene.kube.notReady = "connection refused";
  const spec = scene.spec();
  const ask = async () => {
    scene.session.abort();
    throw remoteError("CONNECTION_LOST", { message: "no answer", transient: true });
  };
  const talos = { ...spec.talos, ask };
  await expect(standingOf({ ...spec, talos }, first, scene.c())).rejects.toThrow("interrupted");
});
