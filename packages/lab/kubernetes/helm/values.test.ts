import { expect, test } from "vitest";
import { parseArguments } from "./argv.ts";
import { coalesce, givenValues } from "./values.ts";

// helm.sh, "The Format and Limitations of --set".
test.each([
  ["name=value", { name: "value" }],
  ["a=b,c=d", { a: "b", c: "d" }],
  ["outer.inner=value", { outer: { inner: "value" } }],
  ["name={a,b}", { name: ["a", "b"] }],
  ["servers[0].port=80,servers[0].host=example", { servers: [{ port: 80, host: "example" }] }],
  ["name=value1\\,value2", { name: "value1,value2" }],
  ["nodeSelector.kubernetes\\.io/role=master", { nodeSelector: { "kubernetes.io/role": "master" } }],
  ["a=true,b=null,c=007", { a: true, b: null, c: "007" }],
])("--set %s", (text, values) => {
  expect(givenValues([], [text], [])).toEqual(values);
});

test("later files override earlier ones, --set overrides files, --set-string keeps text", () => {
  expect(givenValues(["a: {b: 1, c: 2}", "a: {b: 3}"], ["a.c=4"], ["d=5"])).toEqual({ a: { b: 3, c: 4 }, d: "5" });
});

test("null removes a default of the chart", () => {
  expect(coalesce({ a: { b: 1, c: 2 } }, { a: { b: null } })).toEqual({ a: { c: 2 } });
});

test("flags are parsed as cobra does", () => {
  const { command, words, text, lists, on } = parseArguments([
    "upgrade",
    "-i",
    "x",
    "chart",
    "-n=ns",
    "--values",
    "f",
    "--wait=false",
    "--atomic",
  ]);
  expect([command, words, text, lists, [...on]]).toEqual([
    "upgrade",
    ["x", "chart"],
    { namespace: "ns" },
    { values: ["f"] },
    ["install", "atomic"],
  ]);
  expect(() => parseArguments(["install", "--bogus"])).toThrow("unknown flag: --bogus");
});
