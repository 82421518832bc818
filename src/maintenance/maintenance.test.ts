import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/objects.ts";
import { isOnlyReturn, returning, withoutCluster } from "./maintenance.ts";
import { controlPlane, first, NODES, Scene, second } from "./testing/scene.ts";

test("a node that is down is repaired without budget, gates or drain", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "Unknown" });
  scene.node("worker-3", { ready: "Unknown" });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["down worker-1"]);
});

test("a node that an administrator cordoned is drained and stays cordoned", async () => {
  const scene = new Scene();
  scene.node("worker-1", { cordoned: "foreign" });
  scene.pod("web-1", "worker-1");
  const maintenance = scene.maintenance();
  await maintenance.restart(first, scene.c(), {
    act: async () => {
      expect(scene.kube.all("Pod")).toEqual([]);
      scene.boots.set(first.ip, 2);
      scene.node("worker-1", { cordoned: "foreign", boot: 2 });
    },
  });
  expect(scene.log).toEqual([]);
});

test("a node whose pods cannot be evicted is uncordoned, and the error names the budget", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = async () => ({ is: "blocked", why: "budget web needs 1 healthy pod" });
  const maintenance = scene.maintenance();
  await expect(maintenance.restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "DRAIN",
    detail: expect.stringContaining("budget web needs 1 healthy pod"),
  });
  expect(scene.log).toEqual(["cordon worker-1", "uncordon worker-1"]);
  expect(maintenance.isRestarting("worker-1")).toBe(false);
});

test("a node keeps its turn when a response is lost before its restart, because its step observes again and continues", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  const prepare = () => Promise.reject(remoteError("CONNECTION_LOST", { message: "gone", transient: true }));
  const act = () => scene.restart(first);
  await expect(maintenance.restart(first, scene.c(), { prepare, act })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  expect(maintenance.isRestarting("worker-1")).toBe(true);
  await maintenance.restart(first, scene.c(), { act });
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("pods of a disruption budget that the user ignores are deleted, not evicted", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = async () => ({ is: "blocked", why: "budget web needs 1 healthy pod" });
  scene.kube.put({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: {} },
  } as never);
  await scene.maintenance({ ignoredBudgets: ["default/web"] }).restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("the pods of the only node are not drained", async () => {
  const scene = new Scene();
  for (const name of ["cp-1", "worker-2", "worker-3"]) scene.kube.objects.delete(`Node /${name}`);
  scene.pod("web-1", "worker-1");
  const only = scene.maintenance({ nodes: [first], existing: new Set(["worker-1"]) });
  await only.restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["down worker-1", "up worker-1"]);
  expect(scene.kube.all("Pod")).toHaveLength(1);
});

test("degraded Longhorn volumes keep every node in service, and are named", async () => {
  const scene = new Scene();
  scene.degradedVolume();
  await expect(scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) })).rejects.toMatchObject({
    code: "STORAGE_DEGRADED",
    message: "Unable to take worker-1 out of service: Longhorn volumes lack replicas: pvc-1 (degraded)",
  });
  expect(scene.log).toEqual([]);
});

test("a node that is to be removed is not drained either while storage lacks copies", async () => {
  const scene = new Scene();
  scene.degradedVolume();
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toMatchObject({ code: "STORAGE_DEGRADED" });
  expect(scene.log).toEqual([]);
});

const DOWN = remoteError("NO", { message: "the machine does not start" });

test("a restart prepares, drains and restarts the node, and brings it back", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  const maintenance = scene.maintenance();
  const prepare = async () => void scene.log.push("prepare");
  const act = async () => {
    scene.log.push(`restarting: ${maintenance.isRestarting("worker-1")}, pods: ${scene.kube.all("Pod").length}`);
    await scene.restart(first);
  };
  await maintenance.restart(first, scene.c(), { prepare, act });
  expect(scene.log).toEqual([
    ...["prepare", "cordon worker-1", "restarting: true, pods: 0", "down worker-1", "up worker-1", "uncordon worker-1"],
  ]);
  expect(maintenance.isRestarting("worker-1")).toBe(false);
});

test("a node that is down is prepared, too", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "Unknown" });
  const prepare = async () => void scene.log.push("prepare");
  await scene.maintenance().restart(first, scene.c(), { prepare, act: async () => void scene.log.push("act") });
  expect(scene.log).toEqual(["prepare", "act"]);
});

test("a node that serves, and has nothing left to do, stays in service", async () => {
  const scene = new Scene();
  const prepare = async () => void scene.log.push("prepare");
  await scene.maintenance().restart(first, scene.c(), { prepare, act: undefined });
  expect(scene.log).toEqual(["prepare"]);
});

test("a node whose restart failed stays cordoned and counts until it is brought back", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  const act = () => Promise.reject(DOWN);
  await expect(maintenance.restart(first, scene.c(), { act })).rejects.toBe(DOWN);
  expect([scene.log, maintenance.isRestarting("worker-1")]).toEqual([["cordon worker-1"], true]);
  await maintenance.restart(first, scene.c(), { act: undefined });
  expect([scene.log, maintenance.isRestarting("worker-1")]).toEqual([["cordon worker-1", "uncordon worker-1"], false]);
});

test("a node that will be removed is cordoned for it and drained, and another one has its turn after its release", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  const maintenance = scene.maintenance({ nodes: NODES.filter((node) => node !== first) });
  await maintenance.takeOut(first, scene.c());
  expect(scene.shown("worker-1")?.metadata.annotations).toEqual({ "talosmith.dev/cordoned-for": "removal" });
  expect([scene.kube.all("Pod"), maintenance.isRestarting("worker-1")]).toEqual([[], false]);
  scene.after(60_000, () => {
    scene.log.push("released");
    scene.kube.drop({ kind: "Node", name: "worker-1" });
    maintenance.release(first);
  });
  await maintenance.takeOut(second, scene.c());
  expect(scene.log).toEqual(["cordon worker-1", "released", "cordon worker-2"]);
});

test("a node that was replaced is uncordoned when it is back", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  await maintenance.takeOut(first, scene.c());
  await scene.restart(first);
  await maintenance.bringBack(first, scene.c());
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("a node that this run did not take out is not waited for", async () => {
  const scene = new Scene();
  scene.node("worker-1", { ready: "Unknown", cordoned: "ours" });
  await scene.maintenance().bringBack(first, scene.c());
  expect([scene.log, scene.now()]).toEqual([[], 0]);
});

test("a node that has not joined Kubernetes has nothing to drain", async () => {
  const scene = new Scene();
  scene.kube.drop({ kind: "Node", name: "worker-1" });
  await scene.maintenance().takeOut(first, scene.c());
  expect(scene.log).toEqual([]);
});

test("pods that no other node may run are not drained", async () => {
  const scene = new Scene();
  scene.node("worker-2", { cordoned: "foreign" });
  const taint = { key: "dedicated", effect: "NoSchedule" };
  for (const name of ["cp-1", "worker-3"])
    scene.kube.put({ ...scene.shown(name), spec: { taints: [taint] } } as unknown as KubernetesObject);
  scene.pod("web-1", "worker-1");
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["down worker-1", "up worker-1"]);
});

test("a node that a killed run cordoned is cordoned again, for this restart", async () => {
  const scene = new Scene();
  scene.node("worker-1", { cordoned: "ours" });
  await scene.maintenance().restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toEqual(["cordon worker-1", "down worker-1", "up worker-1", "uncordon worker-1"]);
});

test("when the preparation fails, the node stays in service, and the next one has its turn", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  const prepare = () => Promise.reject(DOWN);
  await expect(maintenance.restart(first, scene.c(), { prepare, act: () => scene.restart(first) })).rejects.toBe(DOWN);
  expect(maintenance.isRestarting("worker-1")).toBe(false);
  await maintenance.restart(second, scene.c(), { act: () => scene.restart(second) });
  expect(scene.log[0]).toBe("cordon worker-2");
});

test("the cordon of an administrator stays when the drain fails", async () => {
  const scene = new Scene();
  scene.node("worker-1", { cordoned: "foreign" });
  scene.pod("web-1", "worker-1");
  scene.kube.evict = () => Promise.reject(DOWN);
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toBe(DOWN);
  expect(scene.log).toEqual([]);
});

test("the first error is the one that counts when the node cannot be uncordoned after it, and its cordon is reported", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = () => {
    scene.kube.merge = () => Promise.reject(remoteError("FORBIDDEN", { message: "not allowed" }));
    return Promise.reject(DOWN);
  };
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toBe(DOWN);
  expect(scene.said().at(-1)).toBe("worker-1 stays cordoned: not allowed");
});

test("a node that leaves Kubernetes while it is drained has no cordon to remove", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = () => {
    scene.kube.drop({ kind: "Node", name: "worker-1" });
    return Promise.reject(DOWN);
  };
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toBe(DOWN);
  expect(scene.said()).toEqual(["draining"]);
});

test("an interrupt during the drain ends it without another call", async () => {
  const scene = new Scene();
  scene.pod("web-1", "worker-1");
  scene.kube.evict = () => {
    scene.session.abort();
    scene.kube.asked.length = 0;
    return Promise.reject(DOWN);
  };
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toThrow("interrupted");
  expect([scene.kube.asked, scene.said()]).toEqual([[], ["draining"]]);
});

test("degraded storage has half an hour to recover, and the error says what to do", async () => {
  const scene = new Scene();
  scene.degradedVolume();
  await expect(scene.maintenance().takeOut(first, scene.c())).rejects.toMatchObject({
    code: "STORAGE_DEGRADED",
    hint: "wait until Longhorn has rebuilt them, or repair them first",
  });
  expect(scene.now()).toBe(30 * 60_000);
});

/** Takes a node out, lets `change` happen to it, and waits until it is back: for 20 s if it is well again by then. */
async function broughtBack(change: (scene: Scene) => () => void, node = first) {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  await maintenance.takeOut(node, scene.c());
  const repair = change(scene);
  scene.after(20_000, repair);
  scene.session.events.length = 0;
  await maintenance.bringBack(node, scene.c());
  return { waited: [...new Set(scene.waited())], at: scene.now() };
}

const answering = (ip: string, answer: Parameters<Scene["answers"]["set"]>[1]) => (scene: Scene) => {
  scene.answers.set(ip, answer);
  return () => scene.answers.delete(ip);
};
const shownAs = (more: Parameters<Scene["node"]>[1]) => (scene: Scene) => {
  scene.node("worker-1", more);
  return () => scene.node("worker-1");
};
const busy = (more: { detail?: string }) => remoteError("BUSY", { message: "no answer", transient: true, ...more });

test.each<[string, (scene: Scene) => () => void, string]>([
  ["waits for a config", answering(first.ip, { is: "waiting", key: "k" }), "it waits for a config"],
  ["is silent", answering(first.ip, { is: "silent", why: "connection refused" }), "connection refused"],
  ["is of another cluster", answering(first.ip, { is: "stranger", why: "another certificate" }), "another certificate"],
  ["loses an answer", answering(first.ip, busy({})), "no answer"],
  ["loses an answer, with details", answering(first.ip, busy({ detail: "connection refused\nmore" })), "connection refused"],
  ["is NotReady", shownAs({ ready: "False" }), "it is NotReady"],
  ["shows its last boot", shownAs({ boot: 0 }), "its kubelet has not reported since it started"],
])("a node that %s is not back yet", async (_, change, reason) => {
  const { waited, at } = await broughtBack(change);
  expect(waited).toEqual([reason]);
  expect(at).toBeGreaterThanOrEqual(20_000);
});

test("a control plane is not back before its etcd is healthy, a worker needs none", async () => {
  const unhealthy = (ip: string) => (scene: Scene) => {
    scene.unhealthy.add(ip);
    return () => scene.unhealthy.delete(ip);
  };
  expect((await broughtBack(unhealthy(controlPlane.ip), controlPlane)).waited).toEqual(["etcd: cp-1 Running"]);
  expect(await broughtBack(unhealthy(first.ip))).toEqual({ waited: [], at: 0 });
});

test("a node that is refused an answer while it comes back fails at once", async () => {
  await expect(broughtBack(answering(first.ip, DOWN))).rejects.toBe(DOWN);
});

test("a node has ten minutes to come back", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  const restarted = maintenance.restart(first, scene.c(), { act: async () => scene.node("worker-1", { ready: "False" }) });
  await expect(restarted).rejects.toMatchObject({ code: "TIMEOUT", detail: "last seen: it is NotReady" });
  expect(scene.now()).toBe(10 * 60_000);
  expect(maintenance.isRestarting("worker-1")).toBe(true);
});

const FIELD = { path: "cores", from: 2, to: 4 };

test("a change that only returns a node to service differs from any other", () => {
  const back = returning("machine/worker-1", "machine worker-1");
  expect(back).toMatchObject({ verb: "update", fields: [{ path: "in service", from: false, to: true }] });
  expect(isOnlyReturn([back])).toBe(true);
  expect(isOnlyReturn([back, { ...back, fields: [FIELD] }])).toBe(false);
  expect(isOnlyReturn([{ ...back, fields: [...back.fields, FIELD] }])).toBe(false);
  expect(isOnlyReturn([{ ...back, fields: [] }])).toBe(false);
});

test("a machine outside of any cluster is prepared and restarted without anything else", async () => {
  const scene = new Scene();
  const [prepare, act] = ["prepare", "act"].map((name) => async () => void scene.log.push(name));
  await withoutCluster.restart(first, scene.c(), { prepare, act } as Parameters<typeof withoutCluster.restart>[2]);
  await withoutCluster.takeOut(first, scene.c());
  await withoutCluster.bringBack(first, scene.c());
  withoutCluster.release(first);
  expect([scene.log, scene.kube.asked, withoutCluster.isRestarting("worker-1")]).toEqual([["prepare", "act"], [], false]);
});

test("there is nothing to do for a machine outside of any cluster that only returns", async () => {
  await expect(withoutCluster.restart(first, new Scene().c(), { act: undefined })).resolves.toBeUndefined();
});
