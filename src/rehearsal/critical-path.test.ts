import { expect, test } from "vitest";
import { criticalPath } from "./critical-path.ts";
import type { PhaseStep } from "./phase.ts";

const step = (id: string, from: number, until: number): PhaseStep => ({ id, title: id, outcome: "changed", from, until });
const ids = (steps: PhaseStep[]) => criticalPath(steps).map(({ id }) => id);

test("it leads from the last step back through the steps whose ends allowed the next to start", () => {
  const steps = [
    step("secrets", 0, 1_000),
    step("image", 0, 60_000),
    step("machine a", 60_010, 70_000),
    step("machine b", 60_010, 66_000),
    step("node a", 70_020, 90_000),
  ];
  expect(ids(steps)).toEqual(["image", "machine a", "node a"]);
});

test("steps that took no time worth a line are left out, but lead on", () => {
  expect(ids([step("image", 0, 60_000), step("kubeconfig", 60_000, 60_020), step("verify", 60_021, 62_000)])).toEqual([
    "image",
    "verify",
  ]);
});

test("a run without steps has none", () => {
  expect(criticalPath([])).toEqual([]);
});
