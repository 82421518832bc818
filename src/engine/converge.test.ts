import { remoteError, userError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { type Change, step, type Verb, type WorkItem } from "./step.ts";

const up = async (items: readonly WorkItem[], session = testSession()) => runPlan(await makePlan(items, session), session);
const BUSY = remoteError("BUSY", { message: "busy", transient: true });

/** A step whose first try fails in a way that may pass; what is to be done looks different afterwards. */
const failingOnce = (shelf: Shelf, planned: Change, afterwards: Change) => {
  let tries = 0;
  return shelf.step("a", 1, {
    plan: () => (tries === 0 ? [planned] : [afterwards]),
    apply: async () => {
      shelf.log.push(`apply ${tries === 0 ? planned.verb : afterwards.verb}`);
      if (tries++ === 0) throw BUSY;
    },
  });
};
const changeOf = (verb: Verb, more: Partial<Change> = {}): Change => ({
  ...{ id: "shelf/a", step: "shelf/a", verb, subject: "a", fields: [] },
  ...more,
});
const volume = (slot: string) => ({ node: "a", slot, volume: `local:${slot}` });

test.each<[string, Change, Change]>([
  ["replace what the plan updates", changeOf("update"), changeOf("replace")],
  ["delete what the plan updates", changeOf("update"), changeOf("delete")],
  ["change something else", changeOf("update"), changeOf("update", { subject: "b" })],
  [
    "delete a disk that the plan does not list",
    changeOf("replace", { deletes: [volume("scsi0")] }),
    changeOf("replace", { deletes: [volume("scsi0"), volume("scsi5")] }),
  ],
])("a second try that would %s stops before it is made", async (_, planned, afterwards) => {
  const shelf = new Shelf();
  const [a] = await up([failingOnce(shelf, planned, afterwards)]);
  expect(a?.error?.code).toBe("WORLD_CHANGED");
  expect(shelf.log.filter((line) => line.startsWith("apply"))).toEqual([`apply ${planned.verb}`]);
});

test("a guard runs before every attempt", async () => {
  const shelf = new Shelf();
  let asked = 0;
  const guarded = shelf.step("a", 1, {
    guard: async () => (asked++ === 0 ? [] : [{ level: "fail", code: "QUORUM", message: "the rest would lose quorum" }]),
    apply: async () => {
      shelf.log.push("apply");
      throw BUSY;
    },
  });
  const [a] = await up([guarded]);
  expect(a?.error?.code).toBe("QUORUM");
  expect(shelf.log.filter((line) => line === "apply")).toHaveLength(1);
});

test("a command that has lost its lock changes nothing more", async () => {
  const shelf = new Shelf();
  const session = testSession();
  session.mayMutate = () => {
    throw userError("LOCK_LOST", { message: "the lock was taken over", hint: "run it again" });
  };
  const [a] = await up([shelf.step("a", 1)], session);
  expect(a?.error?.code).toBe("LOCK_LOST");
  expect(shelf.values.size).toBe(0);
});

test("a step knows which one has failed before", async () => {
  const shelf = new Shelf();
  let failed: string | undefined;
  const bad = shelf.step("bad", 1, { apply: () => Promise.reject(remoteError("NO", { message: "refused" })) });
  const later = shelf.step("later", 1, {
    after: [bad.out],
    apply: async (_, c) => {
      failed = c.failed();
    },
  });
  await up([bad, later]);
  expect(failed).toBe("number bad");
});

test("while something is being changed nothing is answered from memory", async () => {
  const shelf = new Shelf();
  const answers: number[] = [];
  let looks = 0;
  const looking = shelf.step("a", 1, {
    apply: async (_, c) => {
      for (let n = 0; n < 2; n++) answers.push(await c.shared("list", async () => ++looks));
      shelf.values.set("a", 1);
    },
  });
  await up([looking]);
  expect(answers).toEqual([1, 2]);
});

/** Runs a step that plans `first`, loses the answer of its first call, and then finds that `rest` is left to do. */
async function afterLostAnswer(first: Change, rest: Change) {
  const applied: (readonly Change[])[] = [];
  const item = step<number, number>({
    id: "shelf/a",
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
  const { applied, error } = await afterLostAnswer(changeOf("create"), changeOf("update"));
  expect(error).toBeUndefined();
  expect(applied).toEqual(["create a", "update a"]);
});

test("after a lost answer a deletion that the plan printed is repeated", async () => {
  const { applied, error } = await afterLostAnswer(
    changeOf("delete", { deletes: [volume("scsi0")] }),
    changeOf("delete", { deletes: [volume("scsi0")] }),
  );
  expect(error).toBeUndefined();
  expect(applied).toEqual(["delete a", "delete a"]);
});

test("the pause before another attempt doubles from half a second, so that what is busy can finish", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const pauses: number[] = [];
  const { clock } = session.world;
  const sleep = async (ms: number) => void pauses.push(ms);
  session.world = {
    ...session.world,
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep },
  };
  await up([shelf.step("a", 1, { apply: () => Promise.reject(BUSY) })], session);
  expect(pauses).toEqual([500, 1_000, 2_000]);
});

test("after an interrupt a step that is at work begins no further mutation", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const both = shelf.step("a", 1, {
    apply: async (_, c) => {
      for (const what of ["first", "second"])
        await c.mutate({ key: "a", what }, async () => {
          shelf.log.push(what);
          session.abort();
          return what;
        });
    },
  });
  const [a] = await up([both], session);
  expect(a?.outcome).toBe("interrupted");
  expect(shelf.log.filter((line) => line !== "look a")).toEqual(["first"]);
});

test("the journal keeps the hint of a mutation, by which a later run finds what it made", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const hinted = shelf.step("a", 1, {
    apply: async (_, c) => {
      await c.mutate({ key: "vm 100", what: "create", hint: { host: "pve1" } }, async () => {
        shelf.values.set("a", 1);
        return 1;
      });
    },
  });
  await up([hinted, shelf.step("b", 1)], session);
  const intents = session.events.filter((event) => event.type === "mutation.intent");
  expect(intents.map((event) => ("hint" in event ? event.hint : "none"))).toEqual([{ host: "pve1" }, "none"]);
});
