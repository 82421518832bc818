import { describe, expect, test } from "vitest";
import { deployment } from "./objects.ts";
import { configMap, configMaps, type Loose, named, type Place, signal } from "./place.ts";

const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap" };

/** Server-side apply: the owners of fields, and the results of changes. */
export function applyExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;

  describe("server-side apply", () => {
    test("makes what is not there, and owns what it said", async () => {
      const namespace = await place().namespace();
      const made: Loose = await kube().apply(configMap(namespace, "a", { x: "1" }, { l: "1" }), signal);
      expect(made.metadata.managedFields).toMatchObject([
        {
          manager: "talosmith",
          operation: "Apply",
          apiVersion: "v1",
          fieldsV1: { "f:data": { "f:x": {} }, "f:metadata": { "f:labels": { "f:l": {} } } },
        },
      ]);
    });

    test("the same once more changes nothing", async () => {
      const namespace = await place().namespace();
      const first = await kube().apply(configMap(namespace, "a", { x: "1" }), signal);
      const second = await kube().apply(configMap(namespace, "a", { x: "1" }), signal);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test("a field that is no longer applied is removed, unless another manager owns it too", async () => {
      const namespace = await place().namespace();
      const path = configMaps(namespace, "a");
      await kube().apply(configMap(namespace, "a", { ours: "1", both: "1" }), signal);
      await admin().applyAs("other", path, configMap(namespace, "a", { both: "1", theirs: "1" }));
      const left: Loose = await kube().apply(configMap(namespace, "a"), signal);
      expect(left.data).toEqual({ both: "1", theirs: "1" });
    });

    test("another's field is refused without force, and the other is named", async () => {
      const namespace = await place().namespace();
      const path = configMaps(namespace, "a");
      await admin().applyAs("kustomize-controller", path, configMap(namespace, "a", { x: "1", y: "1" }));
      const { status, body } = await admin().applyAs("talosmith", path, configMap(namespace, "a", { x: "2", y: "1" }));
      expect([status, body.reason, body.message]).toEqual([
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "kustomize-controller": .data.x',
      ]);
      expect(body.details.causes).toEqual([
        { reason: "FieldManagerConflict", message: 'conflict with "kustomize-controller"', field: ".data.x" },
      ]);
    });

    test("two conflicts are counted, each with its owner; one who wrote says with which version", async () => {
      const namespace = await place().namespace();
      const path = configMaps(namespace, "a");
      await admin().applyAs("one", path, configMap(namespace, "a", { x: "1" }));
      await admin().call("PATCH", `${path}?fieldManager=two`, {
        body: { data: { y: "1", z: "1" } },
        type: "application/merge-patch+json",
      });
      const { body } = await admin().applyAs("talosmith", path, configMap(namespace, "a", { x: "2", y: "2", z: "2" }));
      expect(body.message).toBe(
        'Apply failed with 3 conflicts: conflicts with "one":\n- .data.x\nconflicts with "two" using v1:\n- .data.y\n- .data.z',
      );
    });

    test("by force the field is ours, and the other no longer owns it", async () => {
      const namespace = await place().namespace();
      const path = configMaps(namespace, "a");
      await admin().applyAs("other", path, configMap(namespace, "a", { x: "1", y: "1" }));
      const taken: Loose = await kube().apply(configMap(namespace, "a", { x: "2" }), signal);
      expect(taken.data).toEqual({ x: "2", y: "1" });
      const fields = Object.fromEntries(taken.metadata.managedFields.map((it: Loose) => [it.manager, it.fieldsV1]));
      expect(fields).toEqual({ other: { "f:data": { "f:y": {} } }, talosmith: { "f:data": { "f:x": {} } } });
    });

    test("lists with keys are merged by them", async () => {
      const namespace = await place().namespace();
      await kube().apply(deployment(namespace, { env: [{ name: "A", value: "1" }], args: ["--a"] }), signal);
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
      const theirs = named(
        "apps/v1",
        "Deployment",
        { name: "d", namespace },
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "c", env: [{ name: "B", value: "2" }] },
                  { name: "sidecar", image: "example.org/s:1" },
                ],
              },
            },
          },
        },
      );
      expect((await admin().applyAs("other", path, theirs)).status).toBe(200);
      const ours: Loose = await kube().apply(deployment(namespace, { env: [{ name: "A", value: "3" }], args: ["--b"] }), signal);
      const containers = ours.spec.template.spec.containers;
      expect(containers.map(({ name }: Loose) => name)).toEqual(["c", "sidecar"]);
      expect(containers[0].env).toEqual([
        { name: "A", value: "3" },
        { name: "B", value: "2" },
      ]);
      expect(containers[0].args).toEqual(["--b"]);
      const without: Loose = await kube().apply(deployment(namespace), signal);
      expect(without.spec.template.spec.containers[0].env).toEqual([{ name: "B", value: "2" }]);
    });

    test("ports of a Service are identified by port and protocol", async () => {
      const namespace = await place().namespace();
      const service = (...ports: object[]) => named("v1", "Service", { name: "s", namespace }, { spec: { ports } });
      await kube().apply(
        service({ name: "dns", port: 53, protocol: "UDP" }, { name: "dns-tcp", port: 53, protocol: "TCP" }),
        signal,
      );
      const left: Loose = await kube().apply(service({ name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 5353 }), signal);
      expect(left.spec.ports).toEqual([{ name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 5353 }]);
    });

    test("a set of finalizers is shared", async () => {
      const namespace = await place().namespace();
      const path = configMaps(namespace, "a");
      const own = (finalizer: string) => named("v1", "ConfigMap", { name: "a", namespace, finalizers: [finalizer] });
      await kube().apply(own("example.org/ours"), signal);
      const { body } = await admin().applyAs("other", path, own("example.org/theirs"));
      expect(body.metadata.finalizers).toEqual(["example.org/ours", "example.org/theirs"]);
      const left: Loose = await kube().apply(configMap(namespace, "a"), signal);
      expect(left.metadata.finalizers).toEqual(["example.org/theirs"]);
      await admin().applyAs("other", path, configMap(namespace, "a"));
    });

    test("trying shows what would be, and changes nothing", async () => {
      const namespace = await place().namespace();
      const of = { ...CONFIG_MAP, namespace, name: "a" };
      const tried: Loose = await kube().tryApply(configMap(namespace, "a", { x: "1" }), signal);
      expect([tried.data, await kube().get(of, signal)]).toEqual([{ x: "1" }, undefined]);
      const before = await kube().apply(configMap(namespace, "a", { x: "1", gone: "1" }), signal);
      const changed: Loose = await kube().tryApply(configMap(namespace, "a", { x: "2" }), signal);
      expect(changed.data).toEqual({ x: "2" });
      expect(await kube().get(of, signal)).toEqual(before);
      const same = await kube().tryApply(configMap(namespace, "a", { x: "1", gone: "1" }), signal);
      expect(same).toEqual(before);
    });

    test("what would be refused is refused when tried", async () => {
      const namespace = await place().namespace();
      await expect(kube().tryApply(configMap(namespace, "Big"), signal)).rejects.toMatchObject({ code: "KUBERNETES_INVALID" });
      await expect(kube().tryApply(configMap("nowhere", "a"), signal)).rejects.toMatchObject({
        detail: expect.stringContaining('namespaces "nowhere" not found'),
      });
    });

    test("a field that the kind has not is an error that trying again does not mend", async () => {
      const namespace = await place().namespace();
      const odd = { ...configMap(namespace, "a"), datum: { x: "1" } };
      await expect(kube().apply(odd, signal)).rejects.toMatchObject({
        transient: false,
        detail: expect.stringContaining(
          `failed to create typed patch object (${namespace}/a; /v1, Kind=ConfigMap): .datum: field not declared in schema`,
        ),
      });
    });

    test("a value of the wrong type likewise", async () => {
      const namespace = await place().namespace();
      const odd = deployment(namespace);
      await expect(kube().apply({ ...odd, spec: { ...odd.spec, replicas: "two" } }, signal)).rejects.toMatchObject({
        transient: false,
        detail: expect.stringContaining(".spec.replicas: expected numeric (int or float), got string"),
      });
    });

    test("an apply needs a field manager", async () => {
      const namespace = await place().namespace();
      const { status, body } = await admin().call("PATCH", configMaps(namespace, "a"), {
        body: configMap(namespace, "a"),
        type: "application/apply-patch+yaml",
      });
      expect([status, body.message]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      ]);
    });

    test("a status is not a wish", async () => {
      const namespace = await place().namespace();
      const made: Loose = await kube().apply({ ...deployment(namespace), status: { replicas: 7 } } as Loose, signal);
      expect(made.status.replicas).toBeUndefined();
    });
  });
}
