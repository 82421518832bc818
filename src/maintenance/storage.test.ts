import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { degradedStorage } from "./storage.ts";

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
