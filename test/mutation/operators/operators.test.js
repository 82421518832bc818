import { expect, test } from "vitest";
import { nodesOf } from "../syntax.js";
import { boundaryMoved } from "./boundary-moved.js";
import { branchRemoved } from "./branch-removed.js";
import { callRemoved } from "./call-removed.js";
import { conditionNegated } from "./condition-negated.js";
import { constantChanged } from "./constant-changed.js";

/** What an operator makes of a source: the whole text, once per mutant, with spaces as in the source. */
function mutated(operator, source) {
  return [...nodesOf(source)]
    .flatMap((at) => operator(at, source))
    .map(({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end));
}

test.each([
  ["if (a) b();", "if (!(a)) b();"],
  ["while (more()) b();", "while (!(more())) b();"],
  ["const x = a ? 1 : 2;", "const x = !(a) ? 1 : 2;"],
  ["if (a < b) c();", "if (!(a < b)) c();"],
  ["if (a === b) c();", "if (a !== b) c();"],
  ["return_(a !== b);", "return_(a === b);"],
  ["all.filter((x) => !x.gone);", "all.filter((x) => !!(x.gone));"],
])("a condition is negated: %s", (source, expected) => {
  expect(mutated(conditionNegated, source)).toEqual([expected]);
});

test("a condition and the comparisons in it are negated one at a time", () => {
  expect(mutated(conditionNegated, "if (a === 1 && b) c();")).toEqual(["if (!(a === 1 && b)) c();", "if (a !== 1 && b) c();"]);
});

test("an endless loop has no condition to negate", () => {
  expect(mutated(conditionNegated, "while (true) a();")).toEqual([]);
});

test.each([
  ["a < b", "a <= b"],
  ["a <= b", "a < b"],
  ["a > b", "a >= b"],
  ["a >= b", "a > b"],
])("a boundary is moved: %s", (source, expected) => {
  expect(mutated(boundaryMoved, source)).toEqual([expected]);
});

test("a shift, a sum and an equality have no boundary", () => {
  expect(mutated(boundaryMoved, "a << b; a + b; a === b;")).toEqual([]);
});

test.each([
  ["if (a) { b(); }", ["if (a) {}"]],
  ["if (a) return_(); else b();", ["if (a) {} else b();", "if (a) return_(); else {}"]],
  ["const x = a ? b : c;", ["const x = c;", "const x = b;"]],
  ["const x = a && b;", ["const x = a;", "const x = b;"]],
  ["const x = a || b;", ["const x = a;", "const x = b;"]],
  ["const x = a ?? b;", ["const x = a;"]],
  ["try { a(); } catch (error) { b(); }", ["try { a(); } catch (error) {throw error;}"]],
  ["try { a(); } finally { b(); }", ["try { a(); } finally {}"]],
])("a branch is removed: %s", (source, expected) => {
  expect(mutated(branchRemoved, source)).toEqual(expected);
});

test("of an optional property only the condition is removed, because the rest would spread nothing", () => {
  expect(mutated(branchRemoved, "f({ ...(a && { a }) });")).toEqual(["f({ ...({ a }) });"]);
});

test("an else-if is not removed as a whole, its blocks are", () => {
  expect(mutated(branchRemoved, "if (a) { b(); } else if (c) { d(); }")).toEqual([
    "if (a) {} else if (c) { d(); }",
    "if (a) { b(); } else if (c) {}",
  ]);
});

test.each([
  ["files.sync(path);", ";"],
  ["await release();", ";"],
  ["void start();", ";"],
  ["stop?.();", ";"],
  ["const x = all.filter(f);", "const x = all;"],
  ["const x = text.trim();", "const x = text;"],
  ["const x = all.filter(f).length;", "const x = all.length;"],
])("a call is removed: %s", (source, expected) => {
  expect(mutated(callRemoved, source)).toEqual([expected]);
});

test.each([
  "const x = all.map(f);",
  "c.say('removing');",
  "class A extends B { constructor() { super(); } }",
  "const x = a?.b.filter(f).length;",
  "x = 1;",
])("a call that does not compile without it or that only decorates is kept: %s", (source) => {
  expect(mutated(callRemoved, source)).toEqual([]);
});

test("a call in the argument of an optional chain is removed", () => {
  expect(mutated(callRemoved, "const x = a?.b(c.trim());")).toEqual(["const x = a?.b(c);"]);
});

test.each([
  ["const x = 0;", "const x = 1;"],
  ["const x = 1_000;", "const x = 2000;"],
  ["const x = 5n;", "const x = 6n;"],
  ["const x = true;", "const x = false;"],
  ['f(a === "up");', 'f(a === "up~");'],
  ['f(a.startsWith("s3:"));', 'f(a.startsWith("s3:~"));'],
  ['switch (a) { case "up": b(); }', 'switch (a) { case "up~": b(); }'],
])("a constant is changed: %s", (source, expected) => {
  expect(mutated(constantChanged, source)).toEqual([expected]);
});

test.each([
  'const x = "up";',
  'const x = f("up");',
  "const x: 5 = y;",
  'type A = "up" | 5;',
  "const x = y as 5;",
  "const x = { 5: y };",
  'import a from "./a.ts";',
  "const x = { message: f(a > 1 ? 2 : 3) };",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
  "const x = `${a > 1 ? 2 : 3} nodes`;",
  'const x = { hint: a === "up" ? "a" : "b" };',
])("a word, a type, a key, an import or prose is no constant: %s", (source) => {
  const all = [constantChanged, conditionNegated, boundaryMoved, branchRemoved, callRemoved];
  expect(all.flatMap((operator) => mutated(operator, source))).toEqual([]);
});

test("an expression inside a type assertion is mutated", () => {
  expect(mutated(constantChanged, "const x = [5] as const;")).toEqual(["const x = [6] as const;"]);
});
