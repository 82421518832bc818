import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { delicateTexts, isAmong } from "./delicate.ts";
import { isMap, type Values } from "./release.ts";
import { canonical, valueDifferences } from "./release-differences.ts";

const key = fc.constantFrom("a", "b", "c", "d.e", "__proto__", "constructor");
const { values: anyValues } = fc.letrec<{ value: Json; values: Values }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.constant(null)),
    fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 3 }),
    tie("values"),
  ),
  values: fc
    .uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as Values),
}));

/** Without empty maps, which mean nothing to Helm. */
function pruned(value: Json): Json | undefined {
  if (!isMap(value)) return value;
  const kept = Object.entries(value).flatMap(([name, item]) => {
    const rest = pruned(item);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Sets one value by the path of a difference; null takes it away. */
function withField(values: Values, path: string, to: Json): Values {
  const [first = "", ...rest] = path.split(/(?<!\\)\./).map((part) => part.replaceAll("\\.", "."));
  const others = Object.entries(values).filter(([name]) => name !== first);
  if (rest.length > 0) {
    const below = Object.hasOwn(values, first) ? values[first] : undefined;
    const inner = withField(isMap(below) ? below : {}, rest.map((part) => part.replaceAll(".", "\\.")).join("."), to);
    return Object.fromEntries([...others, [first, inner]]);
  }
  return Object.fromEntries(to === null ? others : [...others, [first, to === "null" ? null : to]]);
}

describe("differences between values", () => {
  test("equal values have none, in whatever order their keys are", () => {
    const reversed = (value: Json): Json =>
      isMap(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, item]) => [name, reversed(item)]),
          )
        : value;
    fc.assert(
      fc.property(anyValues, (values) => {
        expect(valueDifferences(values, reversed(values) as Values)).toEqual([]);
      }),
    );
  });

  test("there are none only when the values mean the same to Helm", () => {
    fc.assert(
      fc.property(anyValues, anyValues, (actual, wanted) => {
        const same = canonical(pruned(actual)) === canonical(pruned(wanted));
        expect(valueDifferences(actual, wanted).length === 0).toBe(same);
      }),
    );
  });

  test("making each of them turns what is there into what is wanted: none is missing and none too much", () => {
    const plain = anyValues.filter((values) => !JSON.stringify(values).includes('"null"'));
    fc.assert(
      fc.property(plain, plain, (actual, wanted) => {
        const fields = valueDifferences(actual, wanted).filter((field) => !field.secret);
        const made = fields.reduce((values, { path, to }) => withField(values, path.slice("values.".length), to as Json), actual);
        expect(canonical(pruned(made))).toBe(canonical(pruned(wanted)));
      }),
    );
  });

  test("each is named by its path", () => {
    const actual = { hubble: { enabled: false }, ipam: { mode: "kubernetes" }, gone: 1 };
    const wanted = { hubble: { enabled: true }, ipam: { mode: "kubernetes" }, nodeSelector: { "kubernetes.io/os": "linux" } };
    expect(valueDifferences(actual, wanted)).toEqual([
      { path: "values.gone", from: 1, to: null },
      { path: "values.hubble.enabled", from: false, to: true },
      { path: "values.nodeSelector.kubernetes\\.io/os", from: null, to: "linux" },
    ]);
  });

  test("a null that is said is not the same as nothing said: it takes a chart's default away", () => {
    expect(valueDifferences({}, { affinity: null })).toEqual([{ path: "values.affinity", from: null, to: "null" }]);
  });

  test.each([
    ["password", { admin: { password: "old-one" } }, { admin: { password: "new-one" } }],
    ["token in a list", { tokens: ["old-one"] }, { tokens: ["new-one"] }],
    ["key", { tls: { ca: { key: "old-one" } } }, { tls: { ca: { key: "new-one" } } }],
    ["PEM", { x: "-----BEGIN old-one" }, { x: "-----BEGIN new-one" }],
    ["PEM in base64", { x: "LS0tLS1CRUdJTiBvbold-one" }, { x: "LS0tLS1CRUdJTiBvbnew-one" }],
    ["URL with a password", { url: "https://me:old-one@x" }, { url: "https://me:new-one@x" }],
  ])("a %s is reported to differ without its content", (_, actual, wanted) => {
    const fields = valueDifferences(actual, wanted);
    expect(fields).toHaveLength(1);
    expect(fields[0]?.secret).toBe(true);
    expect(JSON.stringify(fields)).not.toMatch(/old-one|new-one/);
  });

  test("a switch is shown whatever it is called", () => {
    expect(valueDifferences({ tokens: { enabled: false } }, { tokens: { enabled: true } })[0]).not.toHaveProperty("secret");
  });
});

test("the name of a Secret and of its key are not secret", () => {
  const values = {
    destinations: {
      cloud: { secret: { create: false, name: "grafana-login", namespace: "monitoring" }, auth: { passwordKey: "the-password" } },
    },
    auth: { existingSecret: "some-secret", password: "hunter2-hunter2" },
  };
  expect(delicateTexts(values)).toEqual(["hunter2-hunter2"]);
});

test("the delicate texts of a chart's values are found, to be kept out of logs", () => {
  const values = { auth: { users: ["alice-long", "b"] }, url: "https://me:hunter2@x", version: "1.20.1" };
  expect(delicateTexts(values)).toEqual(["https://me:hunter2@x", "alice-long"]);
});

test("a secret of several lines is found line by line, as a log would have it", () => {
  const values = { place: "first-line\nsecond-line\n", other: "plain-text" };
  expect(delicateTexts(values, ["place"])).toEqual(["first-line\nsecond-line\n", "second-line", "first-line"]);
});

test.each([
  ["auth.password", "values.auth.password", true],
  ["auth", "values.auth.password", true],
  ["users.0.password", "values.users", true],
  ["auth.pass", "values.auth.password", false],
  ["annotations.example.org/key", "values.annotations.example\\.org/key", true],
])("what is written as a reference at %s hides %s: %s", (path, field, hidden) => {
  expect(isAmong([`values.${path}`], field)).toBe(hidden);
});
