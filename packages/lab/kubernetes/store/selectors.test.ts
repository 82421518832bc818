import { expect, test } from "vitest";
import type { KubeObject } from "../objects.ts";
import { fieldSelector, labelSelector, matchesSelector } from "./selectors.ts";

// kubernetes.io, "Labels and Selectors".
test.each([
  ["environment=production,tier=frontend", { environment: "production", tier: "frontend" }, true],
  ["environment=production", { environment: "qa" }, false],
  ["tier!=frontend", {}, true],
  ["environment in (production, qa)", { environment: "qa" }, true],
  ["tier notin (frontend, backend)", { tier: "backend" }, false],
  ["tier notin (frontend, backend)", {}, true],
  ["partition", { partition: "" }, true],
  ["!partition", { partition: "" }, false],
  ["partition,environment notin (qa)", { partition: "a", environment: "dev" }, true],
  ["", {}, true],
])("%j on %j is %j", (selector, labels, expected) => {
  expect(labelSelector(selector)(labels as Record<string, string>)).toBe(expected);
});

test("an absent selector of a workload selects nothing, an empty one everything", () => {
  expect([matchesSelector(undefined, { a: "b" }), matchesSelector({}, { a: "b" })]).toEqual([false, true]);
});

test("only the API's selectable fields can be used", () => {
  expect(() => fieldSelector({ kind: "Pod" }, "spec.dnsPolicy=Default")).toThrow("field label not supported: spec.dnsPolicy");
  const pod = {
    kind: "Pod",
    metadata: { name: "p" },
    spec: { nodeName: "n" },
    status: { phase: "Running" },
  } as unknown as KubeObject;
  expect(fieldSelector({ kind: "Pod" }, "spec.nodeName=n,status.phase!=Pending")(pod)).toBe(true);
});
