import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { readContext } from "../../engine/context.ts";
import { MemoryCluster } from "../addons/testing/memory-cluster.ts";
import { type Stopping, whatStops } from "./what-stops.ts";

function cluster(robustness = "healthy"): MemoryCluster {
  const kube = new MemoryCluster();
  kube.unknown.add("CephCluster");
  const metadata = { name: "pvc-1", namespace: "longhorn-system" };
  kube.put({ apiVersion: "longhorn.io/v1beta2", kind: "Volume", metadata, status: { robustness } } as never);
  for (const [name, phase] of Object.entries({ web: "Running", job: "Succeeded" }))
    kube.put({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, status: { phase } } as never);
  return kube;
}

async function found(kubernetes: MemoryCluster, more: Partial<Stopping> = {}) {
  const check = whatStops({ kubernetes, hasBegun: false, allowDegraded: false, ...more });
  return check.run(readContext(testSession(), check.id, new Map(), new Map()));
}

test("before a cluster is switched off, the pods that run are counted", async () => {
  expect(await found(cluster())).toEqual([
    { level: "warn", code: "STOPS", message: expect.stringContaining("1 running pod and the Kubernetes API stop") },
  ]);
});

test("volumes that lack copies keep a cluster from being switched off, with the flag that allows it", async () => {
  const [, refused] = await found(cluster("degraded"));
  expect(refused).toMatchObject({ level: "fail", code: "STORAGE_DEGRADED", message: expect.stringContaining("pvc-1") });
  expect(refused?.hint).toContain("--allow-degraded");
});

test.each([{ allowDegraded: true }, { hasBegun: true }])("with %o they are only a warning", async (more) => {
  expect((await found(cluster("degraded"), more)).map(({ level }) => level)).toEqual(["warn", "warn"]);
});
