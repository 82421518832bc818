import { expect } from "vitest";
import { type TestSession, testSession } from "../../../../test/support/toy.ts";
import type { ReleasePart } from "../../../catalog/addons/addon.ts";
import { errorsOf, makePlan, type Plan } from "../../../engine/plan.ts";
import { runPlan, type StepResult } from "../../../engine/run.ts";
import { installerFor } from "../../../kubernetes/helm/installer.ts";
import { latestRelease } from "../../../kubernetes/helm/stored-release.ts";
import type { Secret } from "../../../kubernetes/objects.ts";
import { helmRelease } from "../helm-release.ts";
import type { MemoryCluster } from "./memory-cluster.ts";
import { done, ENVIRONMENT, testCluster } from "./test-cluster.ts";

export const wanted: ReleasePart = {
  kind: "release",
  name: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  repository: "oci://registry/charts",
  version: "1.20.1",
  values: { ipam: { mode: "kubernetes" }, hubble: { enabled: true } },
  namespaceLabels: {},
  secretPaths: [],
};
export const labels = { "talosmith.dev/environment": ENVIRONMENT, "talosmith.dev/addon": "cilium" };
export const jobFor = (part: ReleasePart, helmImage = "helm:3") => Object.values(installerFor({ ...part, labels, helmImage }));
export const older = {
  ...wanted,
  labels,
  revision: 1,
  status: "deployed",
  version: "1.19.7",
  config: { ipam: { mode: "kubernetes" } },
};

export function itemsFor(kube: MemoryCluster, release = wanted) {
  const cluster = testCluster(kube);
  return [...done(cluster), helmRelease({ cluster, addon: "cilium", part: release, needs: [] })];
}

export const lastOf = <T>(results: readonly T[]) => results.at(-1) as T;

export async function plan(kube: MemoryCluster, release = wanted, session = testSession()): Promise<Plan> {
  return makePlan(itemsFor(kube, release), session);
}

export async function up(
  kube: MemoryCluster,
  release = wanted,
  session: TestSession = testSession({ timeScale: 10_000 }),
): Promise<StepResult> {
  const prepared = await makePlan(itemsFor(kube, release), session);
  const [problem] = errorsOf(prepared);
  if (problem) throw problem;
  return lastOf(await runPlan(prepared, session));
}

export const records = (kube: MemoryCluster) =>
  kube
    .all<Secret>("Secret")
    .filter(({ type }) => type === "helm.sh/release.v1")
    .map(({ metadata }) => `v${metadata.labels?.version} ${metadata.labels?.status}`);

/** The invariants after a successful run. */
export function expectInstalled(kube: MemoryCluster, release = wanted): void {
  const last = latestRelease(kube.all<Secret>("Secret"));
  expect(last).toMatchObject({ status: "deployed", version: release.version, values: release.values });
  expect(records(kube).filter((one) => one.endsWith(" deployed"))).toHaveLength(1);
  expect(kube.all("ClusterRoleBinding")).toEqual([]);
  expect(kube.all("ServiceAccount")).toEqual([]);
  expect(kube.all<Secret>("Secret").filter(({ type }) => type !== "helm.sh/release.v1")).toEqual([]);
  expect(kube.all("Job").length).toBeLessThanOrEqual(1);
  expect(kube.overlaps).toBe(0);
}
