import { describe, expect, test } from "vitest";
import { type TestSession, testSession } from "../../../test/support/toy.ts";
import { changesOf, errorsOf, makePlan, type Plan } from "../../engine/plan.ts";
import { runPlan, type StepResult } from "../../engine/run.ts";
import { isLater } from "../../engine/step.ts";
import { installerFor } from "../../kubernetes/helm/installer.ts";
import type { HelmRelease } from "../../kubernetes/helm/release.ts";
import { latestRelease } from "../../kubernetes/helm/stored-release.ts";
import type { Secret } from "../../kubernetes/objects.ts";
import { remoteError } from "../../lib/errors.ts";
import { helmRelease } from "./helm-release.ts";
import { helmRecord } from "./testing/helm-records.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { done, testCluster } from "./testing/test-cluster.ts";

const wanted: HelmRelease = {
  name: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  repository: "oci://registry/charts",
  version: "1.20.1",
  values: { ipam: { mode: "kubernetes" }, hubble: { enabled: true } },
  helmImage: "helm:3",
};
const older = { ...wanted, revision: 1, status: "deployed", version: "1.19.7", config: { ipam: { mode: "kubernetes" } } };

function itemsFor(kube: MemoryCluster, release = wanted) {
  const cluster = testCluster(kube);
  return [...done(cluster), helmRelease({ cluster, release })];
}

const lastOf = <T>(results: readonly T[]) => results.at(-1) as T;

async function plan(kube: MemoryCluster, release = wanted, session = testSession()): Promise<Plan> {
  return makePlan(itemsFor(kube, release), session);
}

async function up(kube: MemoryCluster, release = wanted, session: TestSession = testSession()): Promise<StepResult> {
  const prepared = await makePlan(itemsFor(kube, release), session);
  const [problem] = errorsOf(prepared);
  if (problem) throw problem;
  return lastOf(await runPlan(prepared, session));
}

const records = (kube: MemoryCluster) =>
  kube
    .all<Secret>("Secret")
    .filter(({ type }) => type === "helm.sh/release.v1")
    .map(({ metadata }) => `v${metadata.labels?.version} ${metadata.labels?.status}`);

/** What must hold when a run has ended well, however it came there. */
function expectInstalled(kube: MemoryCluster, release = wanted): void {
  const last = latestRelease(kube.all<Secret>("Secret"));
  expect(last).toMatchObject({ status: "deployed", version: release.version, values: release.values });
  expect(records(kube).filter((one) => one.endsWith(" deployed"))).toHaveLength(1);
  expect(kube.all("ClusterRoleBinding")).toEqual([]);
  expect(kube.all("ServiceAccount")).toEqual([]);
  expect(kube.all<Secret>("Secret").filter(({ type }) => type !== "helm.sh/release.v1")).toEqual([]);
  expect(kube.all("Job").length).toBeLessThanOrEqual(1);
  expect(kube.overlaps).toBe(0);
}

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

  test("of a release that Helm was cut off at says so, and that its record goes", async () => {
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
    for (const object of Object.values(installerFor(wanted)).slice(0, 3)) kube.put(object);
    expect(changesOf(await plan(kube))).toMatchObject([{ verb: "update", fields: [{ path: "installer", to: "removed" }] }]);
    expect((await up(kube)).outcome).toBe("changed");
    expect(kube.helms).toBe(0);
    expectInstalled(kube);
  });

  test("asks nobody while no control plane is there", async () => {
    const kube = new MemoryCluster();
    const cluster = testCluster(kube, "cilium", ["worker-1"]);
    const made = await makePlan([...done(cluster), helmRelease({ cluster, release: wanted })], testSession());
    expect(changesOf(made)[0]?.fields).toMatchObject([{ from: null, to: "1.20.1" }, { from: null }]);
    expect(kube.asked).toEqual([]);
  });

  test("of a cluster that does not answer does not claim to know what is there, and the run finds out", async () => {
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
    for (const object of Object.values(installerFor(wanted))) kube.put(object);
    expect((await up(kube)).outcome).toBe("changed");
    expect(kube.helms).toBe(1);
    expectInstalled(kube);
  });

  test("lets a Job of another wish end before it begins its own", async () => {
    const kube = new MemoryCluster();
    for (const object of Object.values(installerFor({ ...wanted, version: "1.19.7" }))) kube.put(object);
    await up(kube);
    expectInstalled(kube);
    expect(records(kube)).toEqual(["v1 superseded", "v2 deployed"]);
  });

  test("tells what Helm said when it fails, with a hint, and leaves no rights behind", async () => {
    const kube = new MemoryCluster();
    kube.mood = { fails: `${"line\n".repeat(30)}Error: could not download chart: dial tcp: lookup registry: no such host` };
    const { error } = await up(kube);
    expect(error).toMatchObject({
      code: "HELM_FAILED",
      hint: "can the control planes reach oci://registry/charts, and is there a chart cilium 1.20.1?",
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

  test("mends a Helm that was killed while we waited for it, in the same run", async () => {
    const kube = new MemoryCluster();
    let killed = false;
    kube.onCall = (what, when) => {
      if (killed || what !== "logs" || when !== "after" || records(kube).length === 0) return;
      killed = true;
      kube.killHelm();
      for (const pod of kube.objects.values())
        if (pod.kind === "Pod") pod.log = "Error: another operation (install/upgrade/rollback) is in progress";
    };
    expect((await up(kube)).outcome).toBe("changed");
    expect(killed).toBe(true);
    expectInstalled(kube);
  });

  test("a Job that cannot pull its image holds up nobody who asks for another image", async () => {
    const kube = new MemoryCluster();
    kube.mood = { noImage: true };
    const typo = { ...wanted, helmImage: "hlem:3" };
    for (const object of Object.values(installerFor(typo))) kube.put(object);
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

describe("whatever happens to a run", () => {
  class Killed extends Error {}

  /** Every state a run may begin in. */
  const starts: [string, () => MemoryCluster][] = [
    ["nothing there", () => new MemoryCluster()],
    [
      "an older version",
      () => {
        const kube = new MemoryCluster();
        kube.put(helmRecord(older));
        return kube;
      },
    ],
    [
      "an upgrade cut off",
      () => {
        const kube = new MemoryCluster();
        kube.put(helmRecord(older));
        kube.put(helmRecord({ ...older, revision: 2, status: "pending-upgrade" }));
        return kube;
      },
    ],
  ];

  async function undisturbed(begin: () => MemoryCluster): Promise<number> {
    const kube = begin();
    await up(kube);
    return kube.asked.length;
  }

  test.each(starts)(
    "%s: killed before or after any call, the next run finishes and no Helm runs twice at once",
    async (_, begin) => {
      const calls = await undisturbed(begin);
      for (let at = 0; at < calls; at++) {
        for (const moment of ["before", "after"] as const) {
          const kube = begin();
          kube.onCall = (_what, when) => {
            if (kube.asked.length > at && when === moment) throw new Killed();
          };
          await up(kube).catch(() => {});
          kube.onCall = () => {};
          const result = await up(kube);
          expect(result.error?.report()).toBeUndefined();
          expectInstalled(kube);
          expect(changesOf(await plan(kube))).toEqual([]);
        }
      }
    },
  );

  test.each(starts)("%s: one answer lost at any call, and the same run still ends right or the next does", async (_, begin) => {
    const calls = await undisturbed(begin);
    for (let at = 1; at <= calls; at++) {
      for (const moment of ["before", "after"] as const) {
        const kube = begin();
        kube.onCall = (_what, when) => {
          if (kube.asked.length !== at || when !== moment) return;
          throw remoteError("KUBERNETES_UNREACHABLE", { message: "Unable to reach the Kubernetes API", transient: true });
        };
        await up(kube).catch(() => {});
        const result = await up(kube);
        expect(result.error?.report()).toBeUndefined();
        expectInstalled(kube);
      }
    }
  });

  test("every call that changes the cluster was announced in the journal before", async () => {
    const kube = new MemoryCluster();
    const session = testSession();
    let announced = 0;
    const unannounced: string[] = [];
    session.bus.listen((event) => {
      if (event.type === "mutation.intent") announced++;
    });
    kube.onCall = (what, when) => {
      if (when === "after" || !/^(create|apply|delete) /.test(what)) return;
      if (announced-- <= 0) unannounced.push(what);
    };
    await up(kube, wanted, session);
    expect(unannounced).toEqual([]);
  });
});
