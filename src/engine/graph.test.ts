import { expect, test } from "vitest";
import { afterOf, inOrder, needsOf } from "./graph.ts";
import { check, step, type WorkItem } from "./step.ts";

const refs = (ids: readonly string[]) => ids.map((id) => ({ step: id }));

const item = (id: string, needs: readonly string[] = [], after: readonly string[] = [], stage = "provision"): WorkItem =>
  step({
    ...{ id, stage, title: id, needs: refs(needs), after: refs(after) },
    observe: async () => ({ is: "absent" }),
    plan: () => [],
    apply: async () => {},
    output: () => undefined,
  });
const checkOf = (id: string, stage: string): WorkItem => check({ id, stage, title: id, run: async () => [] });

const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id);

test("independent steps keep the order of the workflow", () => {
  expect(ids(inOrder([item("b"), item("a"), item("c")]))).toEqual(["b", "a", "c"]);
});

test("needs, and steps that must have ended before, come first", () => {
  expect(ids(inOrder([item("c", ["b"]), item("b", [], ["a"]), item("a")]))).toEqual(["a", "b", "c"]);
});

test("a step that several others need has one place in the order", () => {
  const diamond = [item("last", ["left", "right"]), item("left", ["first"]), item("right", ["first"]), item("first")];
  expect(ids(inOrder(diamond))).toEqual(["first", "left", "right", "last"]);
});

test.each<[string, WorkItem[], string]>([
  ["two steps with the same id", [item("a"), item("a")], "Two steps are called a"],
  ["a need outside of the workflow", [item("a", ["b"])], "a needs b, which is not in the workflow"],
  ["a predecessor outside of the workflow", [item("a", [], ["b"])], "a needs b, which is not in the workflow"],
  ["steps that need each other", [item("a", ["b"]), item("b", ["a"])], "Steps wait for each other: a → b → a"],
  ["a step that needs itself", [item("a", ["a"])], "Steps wait for each other: a → a"],
])("%s is a bug in the workflow, and is named", (_, items, message) => {
  expect(() => inOrder(items)).toThrow(expect.objectContaining({ kind: "internal", code: "GRAPH", message }));
});

test("every item except those of preflight needs the preflight checks, and no other ones", () => {
  const items = [
    checkOf("hosts", "preflight"),
    item("login", [], [], "preflight"),
    item("machine", ["login"]),
    checkOf("nodes", "verify"),
  ];
  expect(items.map((one) => needsOf(one, items))).toEqual([[], [], ["login", "hosts"], ["hosts"]]);
});

test("a step comes after the steps that it names, or after none", () => {
  expect(afterOf(item("a", ["b"], ["c"]))).toEqual(["c"]);
  expect(afterOf(checkOf("nodes", "verify"))).toEqual([]);
});
