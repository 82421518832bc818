import { describe, expect, test } from "vitest";
import { eventually, type Loose, named, type Place, signal } from "./place.ts";

/** In a unique group, because kinds are cluster-wide. */
function definition(group: string) {
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", maximum: 5 },
          mode: { type: "string", enum: ["a", "b"], default: "a" },
          name: { type: "string", pattern: "^[a-z]+$" },
          parts: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { type: "object", required: ["name"], properties: { name: { type: "string" }, value: { type: "string" } } },
          },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
      status: { type: "object", properties: { phase: { type: "string" } } },
    },
  };
  return named(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    { name: `things.${group}` },
    {
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
        ],
      },
    },
  );
}

/** Custom kinds. Their controllers are part of the server. */
export function definitionExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;

  async function define() {
    const own = definition(`${place().name()}.example.org`);
    await kube().apply(own, signal);
    const { group } = own.spec;
    const kind = { apiVersion: `${group}/v1`, kind: "Thing" };
    // Discovery lists a kind a moment before it is served.
    await eventually(() => kube().knows(kind, signal));
    await eventually(async () => (await admin().call("GET", `/apis/${group}/v1/things`)).status === 200);
    return { own, group, kind };
  }

  let shared: ReturnType<typeof define> | undefined;

  /** One definition for all tests that only use it: a real server needs seconds for a new kind. */
  async function defined() {
    shared ??= define();
    const namespace = await place().namespace();
    const { kind, group, own } = await shared;
    const thing = (spec: object) => named(kind.apiVersion, "Thing", { name: "t", namespace }, { spec });
    return { own, group, kind, namespace, path: `/apis/${group}/v1/namespaces/${namespace}/things`, thing };
  }

  describe("definitions", () => {
    test("a definition is accepted, established, and its kind is known", async () => {
      const { own } = await defined();
      const found: Loose = await kube().get({ apiVersion: own.apiVersion, kind: own.kind, name: own.metadata.name }, signal);
      const conditions = found.status.conditions.map(({ type, status, reason }: Loose) => `${type} ${status} ${reason}`);
      expect(conditions.sort()).toEqual(["Established True InitialNamesAccepted", "NamesAccepted True NoConflicts"]);
      expect(found.status.storedVersions).toEqual(["v1"]);
    });

    test.each([
      [{}, "spec.size: Required value"],
      [{ size: "big" }, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
      [{ size: 6 }, "spec.size: Invalid value: 6: spec.size in body should be less than or equal to 5"],
      [{ size: 1, mode: "c" }, 'spec.mode: Unsupported value: "c": supported values: "a", "b"'],
      [{ size: 1, name: "A" }, "spec.name: Invalid value: \"A\": spec.name in body should match '^[a-z]+$'"],
    ])("a wrong object is refused: %j", async (spec, problem) => {
      const { group, path, thing } = await defined();
      const { status, body } = await admin().call("POST", path, { body: thing(spec) });
      expect([status, body.reason, body.message]).toEqual([422, "Invalid", `Thing.${group} "t" is invalid: ${problem}`]);
    });

    test("what was not said has its default, what is unknown is dropped, what is free is kept", async () => {
      const { thing } = await defined();
      const found: Loose = await kube().create(thing({ size: 1, unknown: true, free: { any: { thing: 1 } } }), signal);
      expect(found.spec).toEqual({ size: 1, mode: "a", free: { any: { thing: 1 } } });
      expect(found.metadata.generation).toBe(1);
    });

    test("a status has an address of its own, and is no new wish", async () => {
      const { path, thing, kind, namespace } = await defined();
      const found: Loose = await kube().create({ ...thing({ size: 1 }), status: { phase: "wished" } } as Loose, signal);
      expect(found.status).toBeUndefined();
      const patch = { status: { phase: "real" }, spec: { size: 2 } };
      const { body } = await admin().call("PATCH", `${path}/t/status`, { body: patch, type: "application/merge-patch+json" });
      expect([body.status, body.spec.size, body.metadata.generation]).toEqual([{ phase: "real" }, 1, 1]);
      await kube().merge({ ...kind, namespace, name: "t" }, { spec: { size: 3 } }, signal);
      const after: Loose = await kube().get({ ...kind, namespace, name: "t" }, signal);
      expect([after.status, after.metadata.generation]).toEqual([{ phase: "real" }, 2]);
    });

    test("apply merges its lists by the keys it declares", async () => {
      const { path, thing } = await defined();
      await kube().apply(thing({ size: 1, parts: [{ name: "ours", value: "1" }] }), signal);
      await admin().applyAs("other", `${path}/t`, thing({ size: 1, parts: [{ name: "theirs", value: "2" }] }));
      const both: Loose = await kube().apply(thing({ size: 1, parts: [{ name: "ours", value: "3" }] }), signal);
      expect(both.spec.parts).toEqual([
        { name: "ours", value: "3" },
        { name: "theirs", value: "2" },
      ]);
    });

    test("an apply that the schema is against is no transient matter", async () => {
      const { thing } = await defined();
      await expect(kube().apply(thing({ size: 6 }), signal)).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        transient: false,
      });
      await expect(kube().apply(thing({ size: "big" }), signal)).rejects.toMatchObject({ transient: false });
    });

    test("a definition that is gone takes its kind with it", async () => {
      const { own, kind } = await define();
      await kube().delete({ apiVersion: own.apiVersion, kind: own.kind, name: own.metadata.name }, {}, signal);
      await eventually(async () => !(await kube().knows(kind, signal)));
    });

    test("a watch from before there was such a kind is too old", async () => {
      const { path } = await defined();
      const { status, body } = await admin().call("GET", `${path}?watch=true&resourceVersion=1&timeoutSeconds=1`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        type: "ERROR",
        object: {
          kind: "Status",
          code: 410,
          reason: "Expired",
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
        },
      });
    });

    test("a definition must be called by its plural and its group", async () => {
      const own = definition(`${place().name()}.example.org`);
      await expect(kube().apply({ ...own, metadata: { name: "wrong" } }, signal)).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        detail: expect.stringContaining(
          `CustomResourceDefinition.apiextensions.k8s.io "wrong" is invalid: metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group`,
        ),
      });
    });
  });
}
