import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { Node } from "../kubernetes/objects.ts";
import type { Answering } from "../talos/api/talos-nodes.ts";
import { Budget } from "./budget.ts";
import type { ServiceNode } from "./standing.ts";
import { controlPlane, first, NODES, Scene, second, third, threeControlPlanes } from "./testing/scene.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("the next worker is taken when the one before is Ready since its restart, not when Talos answers", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  await Promise.all([first, second].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  const one = ({ name }: ServiceNode) => [`cordon ${name}`, `down ${name}`, `up ${name}`, `uncordon ${name}`];
  expect(scene.log).toEqual([...one(first), ...one(second)]);
});

test("maintenance.workers allows several workers out of service at a time", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance({ workers: 2 });
  await Promise.all([first, second].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  expect(scene.log.slice(0, 4).sort()).toEqual(["cordon worker-1", "cordon worker-2", "down worker-1", "down worker-2"]);
});

test("a worker that is down counts, and no other is taken until it is back", async () => {
  const scene = new Scene();
  scene.node("worker-3", { ready: "Unknown" });
  const restarted = scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "BUDGET",
    message:
      "Unable to take worker-1 out of service: worker-3 is down, and maintenance.workers allows 1 worker out of service at a time",
  });
  expect(scene.log).toEqual([]);
});

test("after a failure in the run no further node is taken out of service", async () => {
  const scene = new Scene();
  scene.session.failures.push("machine worker-3");
  const restarted = scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "KEPT_IN_SERVICE",
    message: expect.stringContaining("machine worker-3 failed"),
  });
  expect(scene.log).toEqual([]);
});

test("a cordon left by a killed run is removed before the next node goes out of service", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "ours" });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log.slice(0, 2)).toEqual(["uncordon worker-2", "cordon worker-1"]);
});

test("a node that a killed run has shut down counts as out of service while Kubernetes still shows it as Ready", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "ours" });
  scene.boots.delete(second.ip);
  const { clock } = scene.session.world;
  void clock.sleep(60_000).then(() => {
    scene.log.push("worker-2 starts");
    scene.boots.set(second.ip, 2);
  });
  // Its kubelet reports a moment later.
  void clock.sleep(90_000).then(() => {
    scene.log.push("worker-2 reports");
    scene.node("worker-2", { cordoned: "ours", boot: 2 });
  });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log.slice(0, 4)).toEqual(["worker-2 starts", "worker-2 reports", "uncordon worker-2", "cordon worker-1"]);
});

test("control planes restart one after the other, however many workers may be out of service", async () => {
  const scene = new Scene();
  const { maintenance, another, last } = threeControlPlanes(scene, { workers: 3 });
  await Promise.all([another, last].map((node) => maintenance.restart(node, scene.c(), { act: () => scene.restart(node) })));
  const one = ({ name }: ServiceNode) => [`cordon ${name}`, `down ${name}`, `up ${name}`, `uncordon ${name}`];
  expect(scene.log).toEqual([...one(another), ...one(last)]);
});

test("nodes that are down are named when more workers may be out of service than one", async () => {
  const scene = new Scene();
  for (const name of ["worker-2", "worker-3"]) scene.node(name, { ready: "Unknown" });
  const restarted = scene.maintenance({ workers: 2 }).restart(first, scene.c(), { act: () => scene.restart(first) });
  await expect(restarted).rejects.toMatchObject({
    code: "BUDGET",
    message: expect.stringContaining(
      "worker-2, worker-3 are down, and maintenance.workers allows 2 workers out of service at a time",
    ),
    hint: expect.stringContaining("remove them from the config"),
  });
  expect(scene.log).toEqual([]);
});

test("a control plane that is down keeps the others in service, and workers do not count", async () => {
  const scene = new Scene();
  const { maintenance, another } = threeControlPlanes(scene);
  scene.node("cp-3", { ready: "Unknown" });
  const act = async () => void scene.log.push("act");
  await expect(maintenance.restart(another, scene.c(), { act })).rejects.toMatchObject({
    code: "BUDGET",
    message: expect.stringContaining("cp-3 is down, and only one control plane may be out of service at a time"),
  });
  expect(scene.log).toEqual([]);
});

/** The budget alone, with a node that is taken when `take` resolves. */
function budgetOf(scene: Scene, more: Parameters<Scene["spec"]>[0] = {}) {
  const budget = new Budget(scene.spec(more));
  return { budget, take: (node: ServiceNode) => budget.take(node, scene.c()) };
}

test("a node waits at most a day for its turn, and the wait names the nodes that are out", async () => {
  const scene = new Scene();
  const { budget, take } = budgetOf(scene, { workers: 2 });
  await take(first);
  await take(second);
  await expect(take(third)).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(scene.now()).toBe(24 * HOUR);
  expect(new Set(scene.waited())).toEqual(new Set(["worker-1, worker-2 are out of service"]));
  expect(budget.isOut("worker-3")).toBe(false);
});

test("the next node has its turn when one is released, and not before", async () => {
  const scene = new Scene();
  const { budget, take } = budgetOf(scene);
  await take(first);
  scene.after(HOUR, () => budget.release("worker-1"));
  await take(second);
  expect(scene.now()).toBeGreaterThanOrEqual(HOUR);
  expect(scene.now()).toBeLessThan(HOUR + MINUTE);
  expect(scene.waited()[0]).toBe("worker-1 is out of service");
  expect([budget.isOut("worker-1"), budget.isOut("worker-2")]).toEqual([false, true]);
});

test("workers and control planes do not wait for each other", async () => {
  const scene = new Scene();
  const { take } = budgetOf(scene);
  await take(first);
  await take(controlPlane);
  expect(scene.now()).toBe(0);
});

test("a worker that is down keeps no control plane in service, and the other way round", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "Unknown" });
  await budgetOf(scene).take(controlPlane);
  scene.node("worker-1");
  scene.node("cp-1", { ready: "Unknown" });
  await budgetOf(scene).take(first);
  expect(scene.now()).toBe(0);
});

test("a node that is out already does not wait for another turn, not even after a failure", async () => {
  const scene = new Scene();
  const { budget, take } = budgetOf(scene);
  await take(first);
  scene.session.failures.push("machine worker-3");
  await take(first);
  expect(budget.isOut("worker-1")).toBe(true);
});

test("a failure elsewhere ends the wait for a turn", async () => {
  const scene = new Scene();
  const { budget, take } = budgetOf(scene);
  await take(first);
  scene.after(MINUTE, () => scene.session.failures.push("machine worker-1"));
  await expect(take(second)).rejects.toMatchObject({ code: "KEPT_IN_SERVICE" });
  expect(scene.now()).toBeLessThan(2 * MINUTE);
  expect(budget.isOut("worker-2")).toBe(false);
});

test("a failure elsewhere ends the wait for nodes that are down", async () => {
  const scene = new Scene();
  scene.node("worker-3", { ready: "Unknown" });
  scene.after(MINUTE, () => scene.session.failures.push("machine worker-3"));
  await expect(budgetOf(scene).take(first)).rejects.toMatchObject({ code: "KEPT_IN_SERVICE" });
  expect(scene.now()).toBeLessThan(2 * MINUTE);
});

test.each([
  [5 * MINUTE, undefined],
  [5 * MINUTE + 1, "BUDGET"],
])("a node that is back after %i ms is waited for: %s", async (ms, code) => {
  const scene = new Scene();
  scene.node("worker-3", { ready: "Unknown" });
  scene.after(ms, () => scene.node("worker-3"));
  const { budget, take } = budgetOf(scene);
  const error = await take(first).catch((thrown: unknown) => thrown);
  expect(error).toEqual(code === undefined ? undefined : expect.objectContaining({ code }));
  expect([budget.isOut("worker-1"), scene.now()]).toEqual([code === undefined, 5 * MINUTE]);
  expect(scene.waited()[0]).toBe("worker-3 is out of service");
});

test("a node of the config is missing when its machine exists, and not before it was made", async () => {
  const scene = new Scene();
  scene.kube.drop({ kind: "Node", name: "worker-3" });
  const existing = new Set(NODES.map(({ name }) => name));
  await expect(budgetOf(scene, { existing }).take(first)).rejects.toMatchObject({ code: "BUDGET" });
  existing.delete("worker-3");
  await budgetOf(scene, { existing }).take(first);
});

test("a node that this run took out counts once, also while it is down", async () => {
  const scene = new Scene();
  const { take } = budgetOf(scene, { workers: 2 });
  await take(first);
  scene.node("worker-1", { ready: "False" });
  await take(second);
  expect(scene.now()).toBe(0);
});

test("a node that is down itself does not keep itself in service", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "False" });
  await budgetOf(scene).take(first);
  expect(scene.now()).toBe(0);
});

test.each<Answering>([
  { is: "stranger", why: "another certificate" },
  { is: "waiting", key: "k" },
  { is: "silent", why: "connection refused" },
])('a node that a killed run cordoned is down while the machine at its address is "$is"', async (answer) => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "ours" });
  const { nodeInfo, ...status } = scene.shown("worker-2")?.status ?? {};
  scene.kube.put({ ...scene.shown("worker-2"), status } as Node);
  scene.answers.set(second.ip, answer);
  await expect(budgetOf(scene).take(first)).rejects.toMatchObject({ code: "BUDGET" });
  expect(scene.log).toEqual([]);
});

test("the cordon of a killed run stays on a node that is still down", async () => {
  const scene = new Scene();
  scene.node("worker-2", { ready: "Unknown", cordoned: "ours" });
  await budgetOf(scene, { workers: 2 }).take(first);
  expect(scene.log).toEqual([]);
});

test("the cordon of an administrator stays, and does not count: the node serves", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "foreign" });
  scene.boots.delete(second.ip);
  await budgetOf(scene).take(first);
  expect(scene.log).toEqual([]);
});

test("while Kubernetes does not answer, the wait goes on, and its end names the reason", async () => {
  const scene = new Scene();
  const silent = remoteError("KUBERNETES_UNREACHABLE", { message: "no answer", detail: "connection refused", transient: true });
  let silentFor = MINUTE;
  scene.kube.onCall = () => {
    if (scene.now() < silentFor) throw silent;
  };
  await budgetOf(scene).take(first);
  expect(scene.now()).toBeGreaterThanOrEqual(MINUTE);
  silentFor = HOUR;
  const { budget, take } = budgetOf(scene);
  await expect(take(first)).rejects.toMatchObject({
    code: "TIMEOUT",
    message: "Unable to confirm within 300 s that the other nodes are in service, before worker-1 is taken out",
    detail: "last seen: connection refused",
  });
  expect(budget.isOut("worker-1")).toBe(false);
});

test("a node that was down before Kubernetes fell silent is not blamed", async () => {
  const scene = new Scene();
  scene.node("worker-3", { ready: "Unknown" });
  scene.after(MINUTE, () => {
    scene.kube.onCall = () => {
      throw remoteError("KUBERNETES_UNREACHABLE", { message: "no answer", transient: true });
    };
  });
  await expect(budgetOf(scene).take(first)).rejects.toMatchObject({ code: "TIMEOUT", detail: "last seen: no answer" });
});

test("a refusal of Kubernetes keeps the node in service at once", async () => {
  const scene = new Scene();
  scene.kube.onCall = () => {
    throw remoteError("KUBERNETES_FORBIDDEN", { message: "forbidden" });
  };
  const { budget, take } = budgetOf(scene);
  await expect(take(first)).rejects.toMatchObject({ code: "KUBERNETES_FORBIDDEN" });
  expect([scene.now(), budget.isOut("worker-1")]).toEqual([0, false]);
});
