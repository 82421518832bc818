import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { ServiceNode } from "./standing.ts";
import { noSnapshots } from "./testing/no-snapshots.ts";
import { controlPlane, first, NODES, Scene, threeControlPlanes } from "./testing/scene.ts";

test("before the only control plane restarts, a snapshot of etcd is taken", async () => {
  const scene = new Scene();
  await scene.maintenance().restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.log).toEqual(["snapshot", "cordon cp-1", "down cp-1", "up cp-1", "uncordon cp-1"]);
});

test("the only control plane is not touched when no snapshot can be taken", async () => {
  const scene = new Scene();
  const take = async () => {
    throw remoteError("NO_SNAPSHOT", { message: "Unable to take a snapshot of etcd" });
  };
  const maintenance = scene.maintenance({ snapshots: { ...noSnapshots, take } });
  const restarted = maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  await expect(restarted).rejects.toMatchObject({ code: "NO_SNAPSHOT" });
  expect(scene.log).toEqual([]);
  expect(maintenance.isRestarting("cp-1")).toBe(false);
});

test("the only control plane that is NotReady is repaired with a snapshot if etcd answers, and without one if not", async () => {
  const outlooks = [{ is: "possible" }, { is: "impossible", why: "cp-1 does not answer" }] as const;
  const logs = outlooks.map(async (outlook) => {
    const scene = new Scene();
    scene.node("cp-1", { ready: "False" });
    const take = async () => void scene.log.push("snapshot");
    const maintenance = scene.maintenance({ snapshots: { ...noSnapshots, take, look: async () => outlook } });
    await maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
    return scene.log;
  });
  expect(await Promise.all(logs)).toEqual([["snapshot", "down cp-1"], ["down cp-1"]]);
});

test("the only member of etcd restarts after a snapshot, although there are control planes that have not joined yet", async () => {
  const scene = new Scene();
  const joining = [2, 3].map((n): ServiceNode => ({ name: `cp-${n}`, ip: `10.0.0.${n}`, role: "controlplane" }));
  for (const { name, ip } of joining) {
    // The kubelet does not wait for etcd.
    scene.node(name);
    scene.joining.add(ip);
  }
  const nodes = [...NODES, ...joining];
  const maintenance = scene.maintenance({ nodes, existing: new Set(nodes.map(({ name }) => name)) });
  await maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.log.slice(0, 2)).toEqual(["snapshot", "cordon cp-1"]);
});

test("a worker, and one of several control planes, restart without a snapshot", async () => {
  const scene = new Scene();
  const { maintenance, another } = threeControlPlanes(scene);
  await maintenance.restart(first, scene.c(), { act: () => scene.restart(first) });
  await maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  expect(scene.log).not.toContain("snapshot");
});

test("a control plane is not touched while the etcd of another one is unhealthy", async () => {
  const scene = new Scene();
  const { maintenance, another, last } = threeControlPlanes(scene);
  scene.unhealthy.add(last.ip);
  const restarted = maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  await expect(restarted).rejects.toMatchObject({ code: "QUORUM" });
  expect(scene.log).toEqual([]);
});

test("a control plane stays up when the etcd of another one becomes unhealthy while it is drained", async () => {
  const scene = new Scene();
  const { maintenance, another, last } = threeControlPlanes(scene);
  scene.pod("web-1", another.name);
  const evict = scene.kube.evict.bind(scene.kube);
  scene.kube.evict = (pod) => {
    scene.unhealthy.add(last.ip);
    return evict(pod);
  };
  const restarted = maintenance.restart(another, scene.c(), { act: () => scene.restart(another) });
  await expect(restarted).rejects.toMatchObject({ code: "QUORUM" });
  expect(scene.log).toEqual(["cordon cp-2", "uncordon cp-2"]);
});

test("a control plane counts as back only when etcd has no learner any more", async () => {
  const scene = new Scene();
  scene.members = async () => [
    { id: 1n, hostname: "cp-1", peerUrls: [], isLearner: !scene.waited().includes("etcd has a learner") },
  ];
  await scene.maintenance().restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.waited().at(-1)).toBe("etcd has a learner");
});

test("a new control plane whose machine was not there when the run began is no member of etcd", async () => {
  const scene = new Scene();
  const nodes = [...NODES, { name: "cp-2", ip: "10.0.0.2", role: "controlplane" } as const];
  const maintenance = scene.maintenance({ nodes, existing: new Set(NODES.map(({ name }) => name)) });
  await maintenance.restart(controlPlane, scene.c(), { act: () => scene.restart(controlPlane) });
  expect(scene.log[0]).toBe("snapshot");
});

test("one of several control planes hands over the leadership of etcd when it is drained, right before it goes down", async () => {
  const scene = new Scene();
  const { maintenance, another } = threeControlPlanes(scene);
  let before: unknown;
  const act = async () => {
    before = [[...scene.log], [...scene.handedOver]];
    await scene.restart(another);
  };
  await maintenance.restart(another, scene.c(), { act });
  expect(before).toEqual([["cordon cp-2"], [another.ip]]);
  expect(scene.handedOver).toEqual([another.ip]);
  const intents = scene.session.events.flatMap((event) => (event.type === "mutation.intent" ? [event.what] : []));
  expect(intents).toContain("hand over etcd leadership of cp-2");
});

test("a worker and the only control plane keep the leadership of etcd: there is no other member", async () => {
  const scene = new Scene();
  const maintenance = scene.maintenance();
  for (const node of [first, controlPlane]) await maintenance.restart(node, scene.c(), { act: () => scene.restart(node) });
  expect(scene.handedOver).toEqual([]);
});

test("a worker restarts without a look at etcd", async () => {
  const scene = new Scene();
  const { maintenance, last } = threeControlPlanes(scene);
  scene.unhealthy.add(last.ip).add(controlPlane.ip);
  await maintenance.restart(first, scene.c(), { act: () => scene.restart(first) });
  expect(scene.log).toContain("uncordon worker-1");
});

test("a snapshot is taken after the preparation and the gates, and before the drain", async () => {
  const scene = new Scene();
  scene.degradedVolume();
  scene.after(60_000, () => {
    scene.log.push("volume healthy");
    scene.kube.unknown.add("Volume");
  });
  const prepare = async () => void scene.log.push("prepare");
  await scene.maintenance().restart(controlPlane, scene.c(), { prepare, act: () => scene.restart(controlPlane) });
  expect(scene.log.slice(0, 4)).toEqual(["prepare", "volume healthy", "snapshot", "cordon cp-1"]);
});

test("one of several control planes that is down is repaired without a snapshot", async () => {
  const scene = new Scene();
  const { nodes, another } = threeControlPlanes(scene);
  scene.node(another.name, { ready: "False" });
  const look = async () => ({ is: "possible" }) as const;
  const take = async () => void scene.log.push("snapshot");
  const maintenance = scene.maintenance({ nodes, snapshots: { ...noSnapshots, look, take } });
  await maintenance.restart(another, scene.c(), { act: async () => void scene.log.push("act") });
  expect(scene.log).toEqual(["act"]);
});

test("a control plane that has nothing left to do but to come back needs no snapshot", async () => {
  const scene = new Scene();
  const look = async () => ({ is: "possible" }) as const;
  const take = async () => void scene.log.push("snapshot");
  const maintenance = scene.maintenance({ snapshots: { ...noSnapshots, look, take } });
  await maintenance.restart(controlPlane, scene.c(), { act: undefined });
  expect(scene.log).toEqual([]);
});
