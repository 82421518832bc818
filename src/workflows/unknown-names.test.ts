import { expect, test } from "vitest";
import type { Event } from "../engine/event.ts";
import type { Plan } from "../engine/plan.ts";
import type { Environment } from "../environment/environment.ts";
import type { PastRun } from "../environment/runs.ts";
import type { Inventory } from "../platforms/platform.ts";
import { plannedChange, plan as shownPlan } from "../views/testing/script.ts";
import { addonNamed, unknownNodes } from "./unknown-names.ts";

const env = { config: { nodes: [{ name: "cp-1" }, { name: "worker-1" }] } } as unknown as Pick<Environment, "config">;
const found = { owned: [{ name: "cp-1" }, { name: "worker-2" }], unseen: [{ name: "worker-3" }] } as unknown as Inventory;
const plan = { planned: [{ changes: [{ needsConsent: "worker-2" }] }] } as unknown as Plan;

function refused(names: string[], ...runs: PastRun[]) {
  return unknownNodes({ env, found, plan }, { "--allow-remove": names }, () => runs).map(({ message, hint }) => [message, hint]);
}

test("a node is known from the config or by its machine, although that does not answer", () => {
  expect(refused(["cp-1", "worker-1", "worker-2", "worker-3"])).toEqual([]);
});

test("an unknown name is refused with the name that was probably meant, first of all one that the plan asks for", () => {
  expect(refused(["wroker-4", "storage"])).toEqual([
    ["--allow-remove wroker-4: there is no node of this name", "did you mean worker-2? Nothing was changed."],
    ["--allow-remove storage: there is no node of this name", "correct the name, or leave it out. Nothing was changed."],
  ]);
});

test("a node of an earlier plan may be named again, because the same command may be repeated", () => {
  const result = shownPlan([plannedChange("provision", "delete", "machine worker-9", [])]);
  const run = (outcome: "ok" | "failed"): PastRun => ({
    ...{ id: "r", folder: "r", gap: () => undefined },
    events: () =>
      [
        { type: "result", result },
        { type: "run.finished", outcome },
      ] as Event[],
  });
  expect(refused(["worker-9"], run("failed"))).toEqual([]);
  expect(refused(["worker-9"], run("ok"))).toEqual([]);
  expect(refused(["worker-9"])).toHaveLength(1);
});

test("an addon is named as in the config or as in the cluster", () => {
  expect(["certManager", "cert-manager", "myCharts"].map(addonNamed)).toEqual(["cert-manager", "cert-manager", "myCharts"]);
});
