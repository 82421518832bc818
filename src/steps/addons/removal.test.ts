import { describe, expect, test } from "vitest";
import type { Manifest } from "../../catalog/addons/addon.ts";
import { changesOf, errorsOf, type Plan } from "../../engine/plan.ts";
import type { KubernetesObject } from "../../kubernetes/objects.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { addonOf, errorOf, fieldsOf, HELLO, objects, plan, up } from "./testing/own-addon.ts";
import { CILIUM, ENVIRONMENT } from "./testing/test-cluster.ts";

describe("what is no longer in the config", () => {
  const notes = (made: Plan) => made.planned.flatMap(({ findings }) => findings.map(({ message }) => message));
  const twoParts = addonOf({ ...CILIUM, name: "own", namespace: "default" }, objects(HELLO));

  test("is kept and reported with the command that removes it, without a change", async () => {
    const kube = new MemoryCluster();
    await up(kube, [twoParts]);
    const made = await plan(kube, []);
    expect(changesOf(made)).toEqual([]);
    expect(notes(made)).toEqual([
      "own is in the cluster, but no longer in the config (release default/own, ConfigMap web/hello): left unchanged",
    ]);
  });

  test("goes when it is named: Helm uninstalls, objects are deleted, and nothing is remembered", async () => {
    const kube = new MemoryCluster();
    await up(kube, [twoParts]);
    expect(fieldsOf(await plan(kube, [], ["own"]))).toEqual([
      ["delete own", ["release default/own", "release default/own", null], ["ConfigMap web/hello", "ConfigMap web/hello", null]],
    ]);
    expect(errorOf(await up(kube, [], ["own"]))).toBeUndefined();
    expect(kube.all("ConfigMap")).toEqual([]);
    expect(kube.all("Secret")).toEqual([]);
    expect(kube.all("ClusterRoleBinding")).toEqual([]);
    expect(notes(await plan(kube, []))).toEqual([]);
  });

  test("goes without its namespaces and definitions, which others may use, and without them counts as gone", async () => {
    const kube = new MemoryCluster();
    const web: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } };
    const gadgets: Manifest = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gadgets.example.org" },
    };
    const established = { conditions: [{ type: "Established", status: "True" }] };
    kube.put({ ...gadgets, status: established } as KubernetesObject);
    await up(kube, [addonOf(objects(web, gadgets, HELLO))]);
    const made = await plan(kube, [], ["own"]);
    expect(fieldsOf(made)).toEqual([["delete own", ["ConfigMap web/hello", "ConfigMap web/hello", null]]]);
    expect(notes(made)).toEqual([
      "Namespace web is kept: deleting it would also delete objects in it that talosmith did not create",
      "CustomResourceDefinition gadgets.example.org is kept: deleting it would also delete objects in it that talosmith did not create",
    ]);
    expect(errorOf(await up(kube, [], ["own"]))).toBeUndefined();
    expect(kube.all("Namespace").map(({ metadata }) => metadata.name)).toContain("web");
    expect(kube.all("CustomResourceDefinition")).toHaveLength(1);
    expect([changesOf(await plan(kube, [])), notes(await plan(kube, []))]).toEqual([[], []]);
  });

  test("stays where Flux or Argo CD has taken it over since, also when it is named", async () => {
    const kube = new MemoryCluster();
    await up(kube, [twoParts]);
    const labels = { "kustomize.toolkit.fluxcd.io/name": "apps" };
    kube.put({ ...HELLO, metadata: { ...HELLO.metadata, labels } } as KubernetesObject);
    kube.unknown.delete("HelmRelease");
    const metadata = { name: "own", namespace: "default" };
    kube.put({ apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", metadata } as KubernetesObject);
    const before = kube.all("Secret");
    expect(errorOf(await up(kube, [], ["own"]))).toBeUndefined();
    expect(kube.find({ ...HELLO, ...HELLO.metadata })).toBeDefined();
    expect([kube.all("Secret"), before]).toEqual([before, [expect.anything()]]);
  });

  test("loses a controller's own objects first, and the controller when they are gone", async () => {
    const kube = new MemoryCluster();
    const gadget: Manifest = { apiVersion: "example.org/v1", kind: "Gadget", metadata: { name: "one", namespace: "web" } };
    await up(kube, [addonOf({ ...CILIUM, name: "own", namespace: "default" }, objects(HELLO, gadget))]);
    kube.asked.length = 0;
    expect(errorOf(await up(kube, [], ["own"]))).toBeUndefined();
    const order = kube.asked.filter((what) => /^(delete (Gadget|ConfigMap)|create Job)$/.test(what));
    expect(order.slice(0, 3)).toEqual(["delete Gadget", "create Job", "delete ConfigMap"]);
  });

  test("is listed object by object; the others stay, and an object that moved to another part is not listed", async () => {
    const kube = new MemoryCluster();
    const other = { ...HELLO, metadata: { name: "other", namespace: "web" } };
    await up(kube, [addonOf(objects(HELLO, other))]);
    const now = [addonOf(objects(other))];
    expect(notes(await plan(kube, now))).toEqual([
      "own is in the cluster, but no longer in the config (ConfigMap web/hello): left unchanged",
    ]);
    expect(notes(await plan(kube, [...now, { ...addonOf(objects(HELLO)), name: "second" }]))).toEqual([]);
    await up(kube, now, ["own"]);
    expect(kube.all("ConfigMap").map(({ metadata }) => metadata.name)).toEqual(["talosmith-own-files", "other"]);
    expect(notes(await plan(kube, now))).toEqual([]);
  });

  test("of an unknown name is an error with the nearest one, of one in the config too", async () => {
    const kube = new MemoryCluster();
    await up(kube, [twoParts]);
    const mistyped = await plan(kube, [], ["onw"]);
    expect(errorsOf(mistyped)).toMatchObject([
      {
        message: "--remove-addon onw: there is no addon of this name",
        detail: "leftover addons: own",
        hint: "did you mean own? Nothing was changed.",
      },
    ]);
    const absent = await plan(kube, [], ["longhorn"]);
    expect([errorsOf(absent), notes(absent)[0]]).toEqual([[], "the cluster has no leftover addon longhorn to remove"]);
    expect(errorsOf(await plan(kube, [twoParts], ["own"]))).toMatchObject([
      { message: "Unable to remove own: it is in the config" },
    ]);
  });

  test("is written down before the first object is applied, and all of it names its environment", async () => {
    const kube = new MemoryCluster();
    const order: string[] = [];
    kube.onApply = ({ metadata }) => order.push(metadata.name);
    await up(kube, [addonOf(objects(HELLO))]);
    expect(order.slice(0, 2)).toEqual(["talosmith-own-files", "hello"]);
    expect(
      kube.find({ apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name: "talosmith-own-files" })?.metadata.labels,
    ).toMatchObject({
      "talosmith.dev/environment": ENVIRONMENT,
      "talosmith.dev/addon": "own",
    });
  });

  test("killed before any call while it is removed, it is gone after the next run, and no rights are left", async () => {
    const installed = new MemoryCluster();
    await up(installed, [twoParts]);
    const again = () => {
      const kube = new MemoryCluster();
      kube.objects = structuredClone(installed.objects);
      return kube;
    };
    const calm = again();
    await up(calm, [], ["own"]);
    for (let at = 0; at < calm.asked.length; at++) {
      const kube = again();
      kube.onCall = () => {
        if (kube.asked.length > at) throw new Error("killed");
      };
      await up(kube, [], ["own"]).catch(() => {});
      kube.onCall = () => {};
      const isLeft = notes(await plan(kube, [])).length > 0;
      expect(errorOf(await up(kube, [], isLeft ? ["own"] : []))).toBeUndefined();
      for (const kind of ["ConfigMap", "Secret", "ClusterRoleBinding", "ServiceAccount"]) expect(kube.all(kind)).toEqual([]);
      expect(changesOf(await plan(kube, []))).toEqual([]);
    }
  });
});
