import { expect, test } from "vitest";
import { follow, newProgress, stageMs } from "./progress.ts";
import { event, finished, plan, planned, progress, started } from "./testing/script.ts";

const machine = planned("provision", "machine cp-1");

function heard(...events: [number, ReturnType<typeof event>][]) {
  const run = newProgress();
  follow(run, event({ type: "steps", steps: [machine] }), 0);
  for (const [now, one] of events) follow(run, one, now);
  return { step: run.steps.get(machine.id), stage: run.stages[0] };
}

test("a step looked at for the plan and worked on afterwards counts from its second start", () => {
  const { stage } = heard([0, started(machine.id)], [100, finished(machine.id, "unchanged", 100)], [60_000, started(machine.id)]);
  expect(stage && stageMs(stage, 61_000)).toBe(1_000);
});

test("after a result every step starts again from zero", () => {
  const { step } = heard(
    [0, started(machine.id)],
    [1, finished(machine.id, "changed", 1)],
    [2, event({ type: "result", result: plan([]) })],
    [3, progress(machine.id, "cloning")],
  );
  expect(step).toMatchObject({ state: "running", text: "cloning", startedAt: 3, changes: [] });
});

test("a result at the end of a run leaves its steps as they are, for the report", () => {
  const { step } = heard(
    [0, started(machine.id)],
    [1, finished(machine.id, "changed", 1)],
    [2, event({ type: "result", result: plan([]) })],
  );
  expect(step?.state).toBe("changed");
});

test("a queued step works again as soon as it changes something", () => {
  const { step } = heard(
    [0, event({ type: "step.queued", step: machine.id, lane: "etcd" })],
    [1, event({ type: "mutation.intent", step: machine.id, key: "vm 104", what: "create machine cp-1" })],
  );
  expect(step).toMatchObject({ state: "running", text: "create machine cp-1" });
});

test("events of a step that was not announced are ignored", () => {
  expect(() => heard([0, started("elsewhere")])).not.toThrow();
});
