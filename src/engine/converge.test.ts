import { remoteError, userError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { type Change, NotYet, step, type Verb, type WorkItem } from "./step.ts";

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

test("a second try that deletes an unlisted disk names it", async () => {
  const deletes = [volume("scsi0")];
  const more = [...deletes, volume("scsi5")];
  const [a] = await up([failingOnce(new Shelf(), changeOf("replace", { deletes }), changeOf("replace", { deletes: more }))]);
  expect(a?.error).toMatchObject({
    message: "Unable to continue with number a: the world changed since the plan",
    detail: "local:scsi5 would now be deleted, too",
    hint: "run the command again to see a new plan",
  });
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

test("findings of a guard that lets the step go on are reported", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const finding = { level: "warn", code: "SLOW", message: "the disk is slow" } as const;
  const [a] = await up([shelf.step("a", 1, { guard: async () => [finding] })], session);
  expect(a?.outcome).toBe("changed");
  expect(session.events).toContainEqual(expect.objectContaining({ type: "step.finding", step: "shelf/a", finding }));
});

test("findings of a guard that stops the step are reported, and are its error", async () => {
  const session = testSession();
  const finding = { level: "fail", code: "QUORUM", message: "the rest would lose quorum" } as const;
  const [a] = await up([new Shelf().step("a", 1, { guard: async () => [finding] })], session);
  expect(a?.error).toMatchObject({ code: "QUORUM", message: "Unable to continue: number a", detail: finding.message });
  expect(session.events).toContainEqual(expect.objectContaining({ type: "step.finding", finding }));
});

test("an error that no retry can help is not retried", async () => {
  const shelf = new Shelf();
  const apply = async () => {
    shelf.log.push("apply");
    throw remoteError("NO", { message: "refused" });
  };
  const [a] = await up([shelf.step("a", 1, { apply })]);
  expect(a?.error?.code).toBe("NO");
  expect(shelf.log.filter((line) => line === "apply")).toHaveLength(1);
});

test("a retry says what it follows", async () => {
  const session = testSession({ clock: instantClock() });
  await up([failingOnce(new Shelf(), changeOf("update"), changeOf("update"))], session);
  const said = session.events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
  expect(said).toEqual(["busy; checking the current state again"]);
});

test("an interrupt ends the pause before a retry", async () => {
  const session = testSession({ clock: instantClock() });
  const apply = async () => {
    setImmediate(session.abort);
    throw BUSY;
  };
  const clock = session.world.clock;
  const [a] = await up([new Shelf().step("a", 1, { apply })], session);
  expect(a?.outcome).toBe("interrupted");
  expect(clock.monotonic()).toBeLessThan(500);
});

test("a step that deletes ends without an output, because nothing is left to make one from", async () => {
  const shelf = new Shelf();
  shelf.values.set("a", 1);
  const gone = shelf.step("a", 0, {
    plan: (seen) => ("is" in seen && seen.is === "present" ? [changeOf("delete")] : []),
    apply: async () => void shelf.values.delete("a"),
    output: () => {
      throw new Error("nothing is left to make an output from");
    },
  });
  const [a] = await up([gone]);
  expect(a).toMatchObject({ outcome: "changed" });
  expect(a?.error).toBeUndefined();
});

/** A step that applies without any effect, with this change. */
const idle = (change: Change) => new Shelf().step("a", 1, { plan: () => [change], apply: async () => {} });

test.each<[string, Change, string]>([
  ["a field", changeOf("update", { fields: [{ path: "cores", from: 2, to: 4 }] }), "a: cores is 2, should be 4"],
  [
    "a secret field without its value",
    changeOf("update", { fields: [{ path: "token", from: "abc", to: "def", secret: true }] }),
    "a: token is different, should be (secret)",
  ],
  ["a change without fields", changeOf("run"), "not done: run a"],
])("the error of a change without effect names %s", async (_, change, detail) => {
  const [a] = await up([idle(change)]);
  expect(a?.error).toMatchObject({
    code: "NOT_CONVERGED",
    message: "Unable to finish number a: the changes were applied, but the result still differs from the plan",
    detail,
  });
});

const hidden = (after: number, log: number[], clock: () => number) => {
  const observe = async () => {
    log.push(clock());
    if (clock() < after) throw new NotYet({ later: "shelf/a" }, "the machine boots");
    return { is: "absent" } as const;
  };
  return new Shelf().step("a", 1, { observe, plan: () => [changeOf("run")], apply: async () => {} });
};

test.each([
  [600_000, "NOT_CONVERGED"],
  [600_001, "TIMEOUT"],
])("a state that can be read after %i ms ends in %s: ten minutes are enough for a machine to boot", async (after, code) => {
  const session = testSession({ clock: instantClock() });
  const looks: number[] = [];
  const [a] = await up([hidden(after, looks, session.world.clock.monotonic)], session);
  expect(a?.error?.code).toBe(code);
  expect(Math.max(...looks)).toBe(600_000);
});

test("a step that waits for another one, which is done, has a bug", async () => {
  const observe = async () => {
    throw new NotYet({ later: "shelf/other" });
  };
  const [a] = await up([new Shelf().step("a", 1, { observe, plan: () => [changeOf("run")] })]);
  expect(a?.error).toMatchObject({ kind: "internal", message: "shelf/a still waits for shelf/other, which is done" });
});

test("a state that cannot be read for another reason fails at once", async () => {
  const session = testSession({ clock: instantClock() });
  let looks = 0;
  const observe = async () => {
    if (looks++ === 0) return { is: "absent" } as const;
    throw remoteError("DOWN", { message: "the host is down" });
  };
  const [a] = await up([new Shelf().step("a", 1, { observe })], session);
  expect(a?.error?.code).toBe("DOWN");
  expect(looks).toBe(2);
});

test("a step waits for each of its conditions, one after the other", async () => {
  const session = testSession({ clock: instantClock() });
  const ended: string[] = [];
  const condition = (name: string) => {
    let polls = 0;
    const poll = async () => {
      if (polls++ === 0) return { reason: name };
      ended.push(name);
      return true as const;
    };
    return { name, timeoutMs: 60_000, poll };
  };
  await up([new Shelf().step("a", 1, { settle: [condition("task ended"), condition("machine up")] })], session);
  expect(ended).toEqual(["task ended", "machine up"]);
});
