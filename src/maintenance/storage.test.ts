import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { degradedStorage, storageIsHealthy } from "./storage.ts";

const found = (object: object) => {
  const kube = new MemoryCluster();
  kube.put({ metadata: { name: "one", namespace: "storage" }, ...object } as never);
  return degradedStorage(kube, writeContext(testSession(), "machine/x", new Map()));
};

/* Longhorn's own states of a volume (longhorn.io/v1beta2, VolumeRobustness); a detached one is unknown. */
test.each([
  ["degraded", 1],
  ["faulted", 1],
  ["healthy", 0],
  ["unknown", 0],
])("a Longhorn volume that is %s counts as %i", async (robustness, count) => {
  expect(await found({ apiVersion: "longhorn.io/v1beta2", kind: "Volume", status: { robustness } })).toHaveLength(count);
});

test.each([
  ["HEALTH_WARN", 1],
  ["HEALTH_ERR", 1],
  ["HEALTH_OK", 0],
])("a Ceph cluster that is %s counts as %i", async (health, count) => {
  expect(await found({ apiVersion: "ceph.rook.io/v1", kind: "CephCluster", status: { ceph: { health } } })).toHaveLength(count);
});

const LONGHORN = { apiVersion: "longhorn.io/v1beta2", kind: "Volume" };
const CEPH = { apiVersion: "ceph.rook.io/v1", kind: "CephCluster" };
const NODE = { name: "worker-1", ip: "10.0.0.21", role: "worker" } as const;

function storage() {
  const kube = new MemoryCluster();
  const session = testSession({ clock: instantClock() });
  const put = (of: object, name: string, status: object) =>
    kube.put({ ...of, metadata: { name, namespace: "storage" }, status } as never);
  return { kube, put, c: writeContext(session, "machine/x", new Map()), clock: session.world.clock };
}

test("findings name each volume and each cluster with its state, and what to do", async () => {
  const { kube, put, c } = storage();
  put(LONGHORN, "pvc-1", { robustness: "degraded" });
  put(LONGHORN, "pvc-2", { robustness: "healthy" });
  put(LONGHORN, "pvc-3", { robustness: "faulted" });
  put(CEPH, "rook", { ceph: { health: "HEALTH_ERR" } });
  expect(await degradedStorage(kube, c)).toEqual([
    {
      level: "fail",
      code: "STORAGE_DEGRADED",
      message: "Longhorn volumes lack replicas: pvc-1 (degraded), pvc-3 (faulted)",
      hint: "wait until Longhorn has rebuilt them, or repair them first",
    },
    {
      level: "fail",
      code: "STORAGE_DEGRADED",
      message: "Ceph cluster storage/rook is HEALTH_ERR",
      hint: "ceph status names what is wrong; wait until it is HEALTH_OK",
    },
  ]);
});

test("a volume and a cluster that have not reported yet lack nothing", async () => {
  const { kube, put, c } = storage();
  put(LONGHORN, "pvc-1", {});
  put(CEPH, "rook", {});
  put(CEPH, "other", { ceph: {} });
  expect(await degradedStorage(kube, c)).toEqual([]);
});

test("a cluster without Longhorn and Ceph is not asked for their resources", async () => {
  const { kube, c } = storage();
  kube.unknown.add("Volume").add("CephCluster");
  expect(await degradedStorage(kube, c)).toEqual([]);
  expect(kube.asked).toEqual([]);
});

test("replicas that are rebuilt within half an hour are waited for", async () => {
  const { kube, put, c, clock } = storage();
  put(LONGHORN, "pvc-1", { robustness: "degraded" });
  void clock.sleep(30 * 60_000).then(() => put(LONGHORN, "pvc-1", { robustness: "healthy" }));
  expect(await storageIsHealthy(NODE, kube, c)).toEqual([]);
});

test("replicas that are not rebuilt within half an hour are findings", async () => {
  const { kube, put, c, clock } = storage();
  put(LONGHORN, "pvc-1", { robustness: "degraded" });
  expect(await storageIsHealthy(NODE, kube, c)).toHaveLength(1);
  expect(clock.monotonic()).toBe(30 * 60_000);
});
