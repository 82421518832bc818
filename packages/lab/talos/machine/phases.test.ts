import { expect, test } from "vitest";
import { stepsAt } from "./phases.ts";

const phases = (force: boolean) =>
  stepsAt("shutdown", "START", force).flatMap((step) => (step.kind === "phase" && step.action === "START" ? [step.phase] : []));

// v1alpha1_sequencer.go: force skips the drain; pods are still stopped.
test("a forced shutdown skips the drain, and nothing else", () => {
  expect(phases(false)).toContain("drain");
  expect(phases(true)).toEqual(phases(false).filter((phase) => phase !== "drain"));
});
