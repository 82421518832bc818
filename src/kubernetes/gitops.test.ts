import { describe, expect, test } from "vitest";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import { gitOpsReleases, ownerOfObject, ownerOfRelease } from "./gitops.ts";
import type { KubernetesObject } from "./objects.ts";

const { signal } = new AbortController();

async function releasesOf(kind: string, name: string, namespace: string, spec: object) {
  const kube = new MemoryCluster();
  kube.unknown.delete(kind);
  const apiVersion = kind === "HelmRelease" ? "helm.toolkit.fluxcd.io/v2" : "argoproj.io/v1alpha1";
  kube.put({ apiVersion, kind, metadata: { name, namespace }, spec } as KubernetesObject);
  return gitOpsReleases(kube, signal);
}

describe("a HelmRelease", () => {
  // Flux's documentation of spec.releaseName: "[<target namespace>-]<name>" when it is not said.
  test.each([
    ["is called as the object", {}, { name: "web", namespace: "apps" }],
    ["with the namespace it goes to in front", { targetNamespace: "front" }, { name: "front-web", namespace: "front" }],
    ["or as it says", { targetNamespace: "front", releaseName: "site" }, { name: "site", namespace: "front" }],
  ])("%s", async (_, spec, expected) => {
    expect(await releasesOf("HelmRelease", "web", "apps", spec)).toEqual([{ by: "Flux (HelmRelease apps/web)", ...expected }]);
  });
});

describe("an Application", () => {
  const to = { destination: { namespace: "front" } };
  const release = { name: "site", namespace: "front", chart: "podinfo" };

  test.each([
    ["of the same chart in the same namespace", { ...to, source: { chart: "podinfo" } }, true],
    ["that names the release", { ...to, sources: [{ path: "x", helm: { releaseName: "site" } }, { ref: "values" }] }, true],
    ["of another chart", { ...to, source: { chart: "other" } }, false],
    ["of plain files", { ...to, source: { path: "web" } }, false],
    ["in another namespace", { destination: { namespace: "back" }, source: { chart: "podinfo" } }, false],
  ])("%s: it is its release: %s", async (_, spec, expected) => {
    const owner = ownerOfRelease(await releasesOf("Application", "web", "argocd", spec), release);
    expect(owner).toBe(expected ? "Argo CD (Application argocd/web)" : undefined);
  });
});

test("without Flux and Argo CD nothing is queried", async () => {
  const kube = new MemoryCluster();
  expect(await gitOpsReleases(kube, signal)).toEqual([]);
  expect(kube.asked).toEqual([]);
});

test.each<[string, object, string | undefined]>([
  [
    "Flux's labels",
    { labels: { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" } },
    "Flux (Kustomization flux-system/apps)",
  ],
  [
    "Argo CD's tracking id",
    { annotations: { "argocd.argoproj.io/tracking-id": "web:apps/Deployment:front/web" } },
    "Argo CD (Application web)",
  ],
  ["a controller among who wrote it", { managedFields: [{ manager: "kustomize-controller" }] }, "Flux"],
  [
    "us among who wrote it",
    { managedFields: [{ manager: "talosmith" }, { manager: "kubectl" }], labels: { app: "x" } },
    undefined,
  ],
])("an object with %s is theirs", (_, metadata, owner) => {
  expect(ownerOfObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", ...metadata } })).toBe(owner);
});
