import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectDifferences } from "./object-differences.ts";
import type { KubernetesObject } from "./objects.ts";

const key = fc.constantFrom("a", "b", "c", "d.e", "__proto__", "constructor");
const { map: anyMap } = fc.letrec<{ value: Json; map: { [key: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.boolean(),
      fc.integer(),
      fc.string({ maxLength: 4 }).filter((text) => text !== "null"),
      fc.constant(null),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc
    .uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

/** Longer values are shortened for display. */
const short = anyMap.filter((map) => JSON.stringify(map).length < 120);

function object(spec: Json, more: object = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, spec, ...more } as unknown as KubernetesObject;
}

/** Makes one difference come true, by the path it is named by. */
function withField(value: unknown, path: readonly (string | number)[], to: Json): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return to === "null" ? null : to;
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? withField(item, rest, to) : item));
  const entries = Object.entries((value ?? {}) as object);
  const others = entries.filter(([name]) => name !== first);
  if (rest.length === 0 && to === null) return Object.fromEntries(others);
  const there = entries.find(([name]) => name === first)?.[1];
  return Object.fromEntries([...others, [first, withField(there, rest, to)]]);
}

const segments = (path: string) =>
  [...path.matchAll(/\[(\d+)\]|((?:\\\.|[^.[])+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "").replaceAll("\\.", ".") : Number(index),
  );

/** Independent of the order of keys. A list of entries instead of a map, because of the key __proto__; named, so that {} differs from []. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, sorted(item)]);
  return { entries: entries.sort(([a], [b]) => String(a).localeCompare(String(b))) };
};

describe("differences between objects", () => {
  test("there are none exactly when they are the same", () => {
    fc.assert(
      fc.property(anyMap, anyMap, (before, after) => {
        const same = JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
        expect(objectDifferences(object(before), object(after)).length === 0).toBe(same);
      }),
    );
  });

  test("making each of them turns the one into the other: none is missing and none too much", () => {
    fc.assert(
      fc.property(short, short, (before, after) => {
        const fields = objectDifferences(object(before), object(after));
        const made = fields.reduce<unknown>(
          (value, { path, to }) => withField(value, segments(path).slice(1), to as Json),
          before,
        );
        expect(sorted(made)).toEqual(sorted(after));
      }),
    );
  });

  test("fields that the server or controllers write do not count", () => {
    const before = object(
      {},
      { metadata: { name: "x", resourceVersion: "1", managedFields: [], generation: 1 }, status: { a: 1 } },
    );
    const after = object({}, { metadata: { name: "x", resourceVersion: "2", generation: 2 }, status: { a: 2 } });
    expect(objectDifferences(before, after)).toEqual([]);
  });

  test("the content of Secrets is not shown, nor values that look like passwords elsewhere", () => {
    const secret = (text: string) => ({ ...object({}), kind: "Secret", data: { word: text } }) as unknown as KubernetesObject;
    const password = (text: string) => object({ password: text });
    for (const of of [secret, password]) {
      const fields = objectDifferences(of("old-one"), of("new-one"));
      expect(fields).toHaveLength(1);
      expect(JSON.stringify(fields)).not.toMatch(/old-one|new-one/);
    }
  });

  test("something long is cut", () => {
    const [field] = objectDifferences(object({ text: "" }), object({ text: "x".repeat(5000) }));
    expect(String(field?.to)).toHaveLength("x".repeat(120).length + "… (5000 characters)".length);
  });
});
