import { expect, test } from "vitest";
import { stepsAt } from "./phases.ts";

const phases = (force: boolean) =>
  stepsAt("shutdown", "START", force).flatMap((step) => (step.kind === "phase" && step.action === "START" ? [step.phase] : []));

// v1alpha1_sequencer.go: the drain is left out with force, the pods are stopped all the same.
test("a forced shutdown leaves out the drain, and nothing else", () => {
  expect(phases(false)).toContain("drain");
  expect(phases(true)).toEqual(phases(false).filter((phase) => phase !== "drain"));
});
