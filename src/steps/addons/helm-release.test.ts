import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import { isLater } from "../../engine/step.ts";
import type { KubernetesObject, Secret } from "../../kubernetes/objects.ts";
import { helmRelease } from "./helm-release.ts";
import { helmRecord } from "./testing/helm-records.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { expectInstalled, jobFor, labels, lastOf, older, plan, records, up, wanted } from "./testing/one-release.ts";
import { done, ENVIRONMENT, testCluster } from "./testing/test-cluster.ts";

describe("the plan", () => {
  test("of a release that is not there creates it", async () => {
    expect(changesOf(await plan(new MemoryCluster()))).toMatchObject([
      {
        verb: "create",
        subject: "cilium",
        fields: [
          { path: "version", from: null, to: "1.20.1" },
          { path: "namespace", from: null, to: "kube-system" },
        ],
      },
    ]);
  });

  test("of another version and other values says which, from what to what", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord(older));
    expect(changesOf(await plan(kube))).toMatchObject([
      {
        verb: "update",
        fields: [
          { path: "version", from: "1.19.7", to: "1.20.1" },
          { path: "values.hubble.enabled", from: null, to: true },
        ],
      },
    ]);
  });

  test("of what is deployed as it should be is empty, after three lists", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values }));
    const made = await plan(kube);
    expect(changesOf(made)).toEqual([]);
    expect(isLater(made.planned.at(-1)?.output)).toBe(false);
    expect(kube.asked).toEqual(["list Job", "list Secret", "list ClusterRoleBinding"]);
  });

  test("of an interrupted release says so, and announces the removal of its record", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values }));
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values, revision: 2, status: "pending-upgrade" }));
    const made = await plan(kube);
    expect(changesOf(made)[0]?.fields).toEqual([{ path: "status", from: "pending-upgrade", to: "deployed" }]);
    expect(made.planned.at(-1)?.findings[0]?.message).toContain("sh.helm.release.v1.cilium.v2 will be removed");
  });

  test("of a failed release tries it again", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values, status: "failed" }));
    expect(changesOf(await plan(kube))).toMatchObject([{ verb: "update", fields: [{ path: "status", from: "failed" }] }]);
  });

  test("of rights that an earlier run left takes them away, and runs no Helm for it", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values }));
    for (const object of jobFor(wanted).slice(0, 3)) kube.put(object);
    expect(changesOf(await plan(kube))).toMatchObject([{ verb: "update", fields: [{ path: "installer", to: "removed" }] }]);
    expect((await up(kube)).outcome).toBe("changed");
    expect(kube.helms).toBe(0);
    expectInstalled(kube);
  });

  test("makes no call while no control plane exists", async () => {
    const kube = new MemoryCluster();
    const cluster = testCluster(kube, "cilium", ["worker-1"]);
    const made = await makePlan(
      [...done(cluster), helmRelease({ cluster, addon: "cilium", part: wanted, needs: [] })],
      testSession(),
    );
    expect(changesOf(made)[0]?.fields).toMatchObject([{ from: null, to: "1.20.1" }, { from: null }]);
    expect(kube.asked).toEqual([]);
  });

  test("of a silent cluster leaves its content unknown, and the run reads it", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord(older));
    kube.notReady = "10.10.0.11:6443 is not ready: etcd";
    const made = await plan(kube);
    expect(changesOf(made)).toMatchObject([{ verb: "create", fields: [{ from: { later: "addon/cilium" }, to: "1.20.1" }, {}] }]);
    kube.notReady = undefined;
    expect(lastOf(await runPlan(made, testSession())).outcome).toBe("changed");
    expectInstalled(kube);
  });

  test("changes nothing", async () => {
    const kube = new MemoryCluster();
    await plan(kube);
    expect(kube.objects.size).toBe(0);
  });
});

describe("up", () => {
  test("installs, takes its rights away again, keeps the Job for its log, and has nothing to do the second time", async () => {
    const kube = new MemoryCluster();
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
    expect(kube.all("Job")).toHaveLength(1);
    expect((await up(kube)).outcome).toBe("unchanged");
    expect(kube.helms).toBe(1);
  });

  test("upgrades with a Job of its own in the place of the one before", async () => {
    const kube = new MemoryCluster();
    await up(kube, { ...wanted, version: "1.19.7" });
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
    expect(records(kube)).toEqual(["v1 superseded", "v2 deployed"]);
    expect(kube.all("Job")).toHaveLength(1);
  });

  test("goes back to values it has installed before, although the Job of that name has long ended", async () => {
    const kube = new MemoryCluster();
    await up(kube);
    kube.put(helmRecord({ ...older, version: "1.20.1", revision: 2, config: { changed: "by hand" } }));
    kube.put(helmRecord({ ...older, version: "1.20.1", revision: 1, status: "superseded", config: wanted.values }));
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
  });

  test.each(["pending-install", "pending-upgrade"])("mends a release that was left %s", async (status) => {
    const kube = new MemoryCluster();
    if (status === "pending-upgrade") kube.put(helmRecord(older));
    kube.put(helmRecord({ ...older, revision: status === "pending-upgrade" ? 2 : 1, status }));
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
  });

  test("waits for a Job that an earlier run has begun instead of making another", async () => {
    const kube = new MemoryCluster();
    for (const object of jobFor(wanted)) kube.put(object);
    expect((await up(kube)).outcome).toBe("changed");
    expect(kube.helms).toBe(1);
    expectInstalled(kube);
  });

  test("waits for a Job with other work to end before it starts its own", async () => {
    const kube = new MemoryCluster();
    for (const object of jobFor({ ...wanted, version: "1.19.7" })) kube.put(object);
    await up(kube);
    expectInstalled(kube);
    expect(records(kube)).toEqual(["v1 superseded", "v2 deployed"]);
  });

  test("reports Helm's error with a hint, and leaves no permissions behind", async () => {
    const kube = new MemoryCluster();
    kube.mood = { fails: `${"line\n".repeat(30)}Error: could not download chart: dial tcp: lookup registry: no such host` };
    const { error } = await up(kube);
    expect(error).toMatchObject({
      code: "HELM_FAILED",
      hint: "check that the control planes can reach oci://registry/charts, and that chart cilium 1.20.1 exists",
    });
    expect(error?.detail).toContain("no such host");
    expect(error?.detail?.split("\n")).toHaveLength(21);
    expect(kube.all("ClusterRoleBinding")).toEqual([]);
    kube.mood = {};
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
  });

  test("does not tell a password that Helm repeats in its log", async () => {
    const kube = new MemoryCluster();
    kube.mood = { fails: "Error: bad value hunter2-hunter2 at password" };
    const { error } = await up(kube, { ...wanted, values: { password: "hunter2-hunter2" } });
    expect(error?.detail).toContain("bad value (secret) at password");
  });

  test("recovers from a Helm that was killed during the wait, in the same run", async () => {
    const kube = new MemoryCluster();
    let killed = false;
    kube.onCall = (what, when) => {
      if (killed || what !== "follow" || when !== "after" || records(kube).length === 0) return;
      killed = true;
      kube.killHelm();
      for (const pod of kube.objects.values())
        if (pod.kind === "Pod") pod.log = "Error: another operation (install/upgrade/rollback) is in progress";
    };
    expect((await up(kube)).outcome).toBe("changed");
    expect(killed).toBe(true);
    expectInstalled(kube);
  });

  test("a Job that cannot pull its image does not block one with another image", async () => {
    const kube = new MemoryCluster();
    kube.mood = { noImage: "no such image" };
    for (const object of jobFor(wanted, "hlem:3")) kube.put(object);
    await kube.list({ apiVersion: "v1", kind: "Pod" });
    await kube.list({ apiVersion: "v1", kind: "Pod" });
    const prepared = await plan(kube);
    kube.onCall = (what) => {
      if (what === "delete Job") kube.mood = {};
    };
    const result = lastOf(await runPlan(prepared, testSession()));
    expect(result.outcome).toBe("changed");
    expectInstalled(kube);
  });
});

describe("a namespace", () => {
  const labelled = { ...wanted, namespace: "storage", namespaceLabels: { "pod-security.kubernetes.io/enforce": "privileged" } };

  test("is made with its labels before Helm begins, and labels of others stay", async () => {
    const kube = new MemoryCluster();
    const order: string[] = [];
    kube.onCall = (what, when) => {
      if (when === "after" && /^create (Namespace|Job)/.test(what)) order.push(what);
    };
    await up(kube, labelled);
    expect(order).toEqual(["create Namespace", "create Job"]);
    const labels = () => kube.all("Namespace")[0]?.metadata.labels;
    expect(labels()).toEqual(labelled.namespaceLabels);
    kube.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "storage", labels: { team: "a" } } });
    expect(changesOf(await plan(kube, labelled))[0]?.fields).toEqual([
      { path: "namespace pod-security.kubernetes.io/enforce", from: null, to: "privileged" },
    ]);
    await up(kube, labelled);
    expect(labels()).toEqual({ team: "a", ...labelled.namespaceLabels });
    expect(kube.helms).toBe(1);
  });
});

describe("whose a release is", () => {
  test("Helm's record carries the environment and the addon", async () => {
    const kube = new MemoryCluster();
    await up(kube);
    expect(kube.all<Secret>("Secret")[0]?.metadata.labels).toMatchObject(labels);
  });

  test("one without our mark gets it, as one that was installed by hand", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, version: "1.20.1", config: wanted.values, labels: {} }));
    expect(changesOf(await plan(kube))[0]?.fields).toEqual([{ path: "mark", from: null, to: ENVIRONMENT }]);
    await up(kube);
    expectInstalled(kube);
    expect(changesOf(await plan(kube))).toEqual([]);
  });

  test.each([
    [
      "Flux",
      "HelmRelease",
      "helm.toolkit.fluxcd.io/v2",
      "flux-system",
      { targetNamespace: "kube-system", releaseName: "cilium" },
    ],
    ["Flux", "HelmRelease", "helm.toolkit.fluxcd.io/v2", "kube-system", {}],
    [
      "Argo CD",
      "Application",
      "argoproj.io/v1alpha1",
      "argocd",
      { source: { chart: "cilium" }, destination: { namespace: "kube-system" } },
    ],
  ])("what %s sees to (%s) is left alone, and said so, whatever differs", async (who, kind, apiVersion, namespace, spec) => {
    const kube = new MemoryCluster();
    kube.unknown.delete(kind);
    kube.put(helmRecord(older));
    kube.put({ apiVersion, kind, metadata: { name: "cilium", namespace }, spec } as KubernetesObject);
    const made = await plan(kube);
    expect(changesOf(made)).toEqual([]);
    expect(made.planned.at(-1)?.findings[0]?.message).toBe(
      `cilium is managed by ${who} (${kind} ${namespace}/cilium): left unchanged`,
    );
  });

  test("a HelmRelease for another release or namespace does not count", async () => {
    const kube = new MemoryCluster();
    kube.unknown.delete("HelmRelease");
    const metadata = { name: "cilium", namespace: "elsewhere" };
    kube.put({ apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", metadata } as KubernetesObject);
    expect(changesOf(await plan(kube))).toHaveLength(1);
  });
});
