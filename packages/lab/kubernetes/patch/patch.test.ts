import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject, Loose, ManagedFields } from "../objects.ts";
import { typeNamed } from "../schema/read-types.ts";
import { ANY } from "../schema/schema.ts";
import { applyConfig, managedAfterApply } from "./apply.ts";
import { difference, intersection, union } from "./field-set.ts";
import { fieldsOf } from "./fields.ts";
import { jsonPatch } from "./json-patch.ts";
import { managedAfterUpdate } from "./managed.ts";
import { mergePatch } from "./merge.ts";
import { strategicMerge } from "./strategic.ts";

// RFC 7386, appendix A.
test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("merge patch: %j with %j is %j", (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

describe("JSON patch", () => {
  // RFC 6902, appendix A.
  test.each<[Loose, Loose[], Loose]>([
    [{ foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
    [{ foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    [{ baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    [{ foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    [{ baz: "qux", foo: "bar" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo", foo: "bar" }],
    [
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [{ foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc"] }], { foo: ["bar", ["abc"]] }],
    [{ "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  ])("%j with %j is %j", (target, patch, result) => {
    expect(jsonPatch(target, patch)).toEqual(result);
  });

  test("a failing test operation refuses the whole patch", () => {
    expect(() => jsonPatch({ baz: "qux" }, [{ op: "test", path: "/baz", value: "bar" }])).toThrow("testing path /baz failed");
  });
});

const POD = typeNamed("core.v1.Pod") ?? ANY;
const SERVICE = typeNamed("core.v1.Service") ?? ANY;
const CONFIG_MAP = typeNamed("core.v1.ConfigMap") ?? ANY;

describe("strategic merge", () => {
  // kubernetes.io, "Update API Objects in Place Using kubectl patch".
  test("a container with a new name is added, one with an existing name is changed", () => {
    const target = { spec: { containers: [{ name: "a", image: "nginx" }] } };
    expect(strategicMerge(target, { spec: { containers: [{ name: "b", image: "redis" }] } }, POD)).toEqual({
      spec: {
        containers: [
          { name: "b", image: "redis" },
          { name: "a", image: "nginx" },
        ],
      },
    });
    expect(strategicMerge(target, { spec: { containers: [{ name: "a", image: "x" }] } }, POD).spec.containers).toEqual([
      { name: "a", image: "x" },
    ]);
  });

  test("tolerations are replaced, because they have no merge key", () => {
    const target = { spec: { tolerations: [{ key: "dedicated" }] } };
    expect(strategicMerge(target, { spec: { tolerations: [{ key: "disktype" }] } }, POD)).toEqual({
      spec: { tolerations: [{ key: "disktype" }] },
    });
  });

  test("$patch: delete removes an item, $retainKeys removes all keys not named", () => {
    const volume = { name: "v", emptyDir: {} };
    const target = { spec: { containers: [{ name: "a" }, { name: "b" }], volumes: [volume] } };
    const changed = { $retainKeys: ["hostPath", "name"], hostPath: { path: "/x" }, name: "v" };
    const patch = { spec: { containers: [{ name: "a", $patch: "delete" }], volumes: [changed] } };
    expect(strategicMerge(target, patch, POD)).toEqual({
      spec: { containers: [{ name: "b" }], volumes: [{ name: "v", hostPath: { path: "/x" } }] },
    });
  });
});

const live = (data: Loose, managedFields: ManagedFields[] = []): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", managedFields },
  data,
});
const config = (data: Loose) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data });
const as = (manager: string, force = false) => ({
  manager,
  force,
  apiVersion: "v1",
  schema: CONFIG_MAP,
  hasStatus: false,
  time: "t",
});

/** An object after an apply. */
function applied(before: KubeObject, data: Loose, manager: string, force = false): KubeObject {
  const after = applyConfig(before, config(data), as(manager, force)) as KubeObject;
  const managedFields = managedAfterApply(before.metadata.managedFields ?? [], before, after, config(data), as(manager));
  return { ...after, metadata: { ...after.metadata, managedFields } };
}

describe("server-side apply", () => {
  test("a field that its manager no longer applies is removed", () => {
    const first = applied(live({}), { a: "1", b: "2" }, "me");
    expect(applied(first, { a: "1" }, "me").data).toEqual({ a: "1" });
  });

  test("a field that another manager applies as well stays", () => {
    const both = applied(applied(live({}), { a: "1", b: "2" }, "me"), { b: "2" }, "other");
    expect(applied(both, { a: "1" }, "me").data).toEqual({ a: "1", b: "2" });
  });

  // The texts follow getConflictMessage of k8s.io/apimachinery v0.34.
  test("another value in another manager's field is a conflict that names the manager", () => {
    const theirs = applied(live({}), { a: "1", b: "2" }, "other");
    expect(() => applied(theirs, { a: "x" }, "me")).toThrow('Apply failed with 1 conflict: conflict with "other": .data.a');
    expect(() => applied(theirs, { a: "x", b: "y" }, "me")).toThrow(
      'Apply failed with 2 conflicts: conflicts with "other":\n- .data.a\n- .data.b',
    );
  });

  test("a conflict with an update names the version of the update", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const theirs = live({ a: "1" }, [
      { manager: "editor", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 },
    ]);
    expect(() => applied(theirs, { a: "x" }, "me")).toThrow(
      'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a',
    );
  });

  test("with force the field changes its manager", () => {
    const mine = applied(applied(live({}), { a: "1", b: "2" }, "other"), { a: "x" }, "me", true);
    expect(mine.data).toEqual({ a: "x", b: "2" });
    expect(mine.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ["me", { "f:data": { "f:a": {} } }],
      ["other", { "f:data": { "f:b": {} } }],
    ]);
  });

  test("an updated field belongs to the updater, and no longer to the applier", () => {
    const before = applied(live({}), { a: "1", b: "2" }, "me");
    const after = { ...before, data: { a: "9", b: "2" } };
    const managed = managedAfterUpdate(before.metadata.managedFields ?? [], before, after, as("editor"));
    expect(managed.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])).toEqual([
      ["me", "Apply", { "f:data": { "f:b": {} } }],
      ["editor", "Update", { "f:data": { "f:a": {} } }],
    ]);
  });

  test("items of keyed lists are owned separately", () => {
    expect(fieldsOf({ spec: { ports: [{ port: 80, targetPort: 8080 }] } }, SERVICE)).toEqual({
      "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:targetPort": {} } } },
    });
  });
});

const data = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"));

test("applying the same object twice changes nothing", () => {
  fc.assert(
    fc.property(data, data, (others, mine) => {
      const once = applied(live(others), mine, "me", true);
      expect(applied(once, mine, "me", true)).toEqual(once);
    }),
  );
});

test("after an apply every applied field has its value, and fields that no manager dropped remain", () => {
  fc.assert(
    fc.property(data, data, data, (unowned, first, second) => {
      const result = applied(applied(live(unowned), first, "me", true), second, "me", true);
      expect(result.data ?? {}).toMatchObject(second);
      for (const key of Object.keys(unowned))
        if (!(key in first) && !(key in second)) expect(result.data[key]).toBe(unowned[key]);
      for (const key of Object.keys(first)) if (!(key in second)) expect(result.data?.[key]).toBeUndefined();
    }),
  );
});

test("field sets obey the laws of sets", () => {
  const set = data.map((value) => fieldsOf({ data: value }, CONFIG_MAP));
  fc.assert(
    fc.property(set, set, (a, b) => {
      expect(union(difference(a, b), intersection(a, b))).toEqual(a);
      expect(difference(difference(a, b), b)).toEqual(difference(a, b));
      expect(intersection(a, union(a, b))).toEqual(a);
    }),
  );
});
