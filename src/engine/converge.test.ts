import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import type { Deletion } from "./deletion.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { type Change, step, type Verb } from "./step.ts";

const change = (verb: Verb, subject = "machine a", volumes: readonly string[] = []): Change => ({
  id: "s",
  step: "s",
  verb,
  subject,
  fields: [],
  deletes: volumes.map((volume): Deletion => ({ node: "a", slot: volume, volume })),
});

/** Runs a step that plans `first`, loses the answer of its first call, and then finds that `rest` is left to do. */
async function afterLostAnswer(first: Change, rest: Change) {
  const applied: (readonly Change[])[] = [];
  const item = step<number, number>({
    id: "s",
    stage: "provision",
    title: "machine a",
    observe: async () => ({ is: "present", actual: applied.length, owner: "us" }),
    plan: () => [[first], [rest], []][applied.length] ?? [],
    apply: async (changes) => {
      applied.push(changes);
      if (applied.length === 1) throw remoteError("CONNECTION_LOST", { message: "gone", transient: true });
    },
    output: (actual) => actual,
  });
  const session = testSession({ timeScale: 1000 });
  const [result] = await runPlan(await makePlan([item], session), session);
  return { applied: applied.flat().map(({ verb, subject }) => `${verb} ${subject}`), error: result?.error };
}

test("after a lost answer a step completes what was made by half, although that is another change than the plan printed", async () => {
  const { applied, error } = await afterLostAnswer(change("create"), change("update"));
  expect(error).toBeUndefined();
  expect(applied).toEqual(["create machine a", "update machine a"]);
});

test("after a lost answer a deletion that the plan printed is repeated", async () => {
  const { applied, error } = await afterLostAnswer(change("delete", "a", ["disk-1"]), change("delete", "a", ["disk-1"]));
  expect(error).toBeUndefined();
  expect(applied).toEqual(["delete a", "delete a"]);
});

test.each<Verb>(["delete", "replace"])("after a lost answer a step that was to create does not %s", async (verb) => {
  const { applied, error } = await afterLostAnswer(change("create"), change(verb));
  expect(error?.code).toBe("WORLD_CHANGED");
  expect(error?.detail).toBe(`${verb} machine a was not in the plan`);
  expect(applied).toEqual(["create machine a"]);
});

test("after a lost answer a step changes nothing that the plan did not name", async () => {
  const { applied, error } = await afterLostAnswer(change("update"), change("update", "machine b"));
  expect(error?.code).toBe("WORLD_CHANGED");
  expect(applied).toEqual(["update machine a"]);
});

test("after a lost answer a volume that was attached meanwhile is not deleted with its machine", async () => {
  const { applied, error } = await afterLostAnswer(
    change("delete", "a", ["disk-1"]),
    change("delete", "a", ["disk-1", "disk-2"]),
  );
  expect(error?.detail).toBe("disk-2 would now be deleted, too");
  expect(applied).toEqual(["delete a"]);
});
