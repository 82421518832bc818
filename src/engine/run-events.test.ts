import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { check, type Finding, known, step, type WorkItem } from "./step.ts";

async function up(items: readonly WorkItem[], session = testSession({ clock: instantClock() })) {
  const plan = await makePlan(items, session);
  session.events.length = 0;
  return { results: await runPlan(plan, session), events: session.events, plan };
}

const NO = remoteError("NO", { message: "refused" });
const WARNING: Finding = { level: "warn", code: "SLOW", message: "the disk is slow" };

test("each step is reported as started and then as finished, with its changes, its time and what went wrong", async () => {
  const shelf = new Shelf();
  shelf.values.set("same", 1);
  const session = testSession({ clock: instantClock() });
  const bad = shelf.step("bad", 1, {
    apply: async (_, c) => {
      await c.world.clock.sleep(1_500.4);
      throw NO;
    },
  });
  const { events, plan } = await up(
    [shelf.step("new", 1), shelf.step("same", 1), bad, shelf.step("next", 1, { needs: [bad.out] })],
    session,
  );
  const finished = { type: "step.finished", at: expect.any(String), changes: [], ms: 0 };
  expect(events.filter(({ type }) => type === "step.finished")).toStrictEqual([
    { ...finished, step: "shelf/same", outcome: "unchanged" },
    { ...finished, step: "shelf/new", outcome: "changed", changes: plan.planned[0]?.changes },
    { ...finished, step: "shelf/bad", outcome: "failed", ms: 1_500, error: NO.report() },
    { ...finished, step: "shelf/next", outcome: "blocked", blockedBy: "shelf/bad" },
  ]);
  const started = events.flatMap((event) => (event.type === "step.started" ? [event.step] : []));
  expect(started).toEqual(["shelf/new", "shelf/same", "shelf/bad"]);
});

test("a run answers with one result a step, in the order of the plan, and only changed steps have changes", async () => {
  const shelf = new Shelf();
  shelf.values.set("same", 1);
  const { results, plan } = await up([
    shelf.step("slow", 1, { apply: () => Promise.reject(NO) }),
    shelf.step("same", 1),
    shelf.step("new", 1),
  ]);
  expect(results.map(({ id, outcome, changes }) => [id, outcome, changes.length])).toEqual([
    ["shelf/slow", "failed", 0],
    ["shelf/same", "unchanged", 0],
    ["shelf/new", "changed", 1],
  ]);
  expect(results[2]?.changes).toEqual(plan.planned[2]?.changes);
});

test("findings of the plan are reported when their step starts, also when it has nothing to do", async () => {
  const { events } = await up([new Shelf().step("a", 1, { plan: () => [], notes: () => [WARNING] })]);
  expect(events.map(({ type }) => type)).toEqual(["step.started", "step.finding", "step.finished"]);
  expect(events[1]).toMatchObject({ step: "shelf/a", finding: WARNING });
});

test("a preflight check is not run again after the plan; its findings are reported", async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    return [WARNING];
  };
  const { events, results } = await up([check({ id: "disks", stage: "preflight", title: "disks", run })]);
  expect(runs).toBe(1);
  expect(events).toContainEqual(expect.objectContaining({ type: "step.finding", step: "disks", finding: WARNING }));
  expect(results[0]?.outcome).toBe("unchanged");
});

test("a check of the result runs once, after the changes", async () => {
  const shelf = new Shelf();
  const made = shelf.step("a", 1);
  const seen: unknown[] = [];
  const verify = check({
    ...{ id: "verify", stage: "verify", title: "verify", needs: [made.out] },
    run: async (c) => {
      seen.push(known(c, made.out));
      return [];
    },
  });
  await up([made, verify]);
  expect(seen).toEqual([1]);
});

test("steps that need a step without changes, a changed one or a check get its output", async () => {
  const shelf = new Shelf();
  shelf.values.set("same", 1);
  const items = [shelf.step("same", 1), shelf.step("new", 2)] as const;
  const verify = check({ id: "verify", stage: "verify", title: "verify", run: async () => [] });
  const got: unknown[] = [];
  const last = step<number, number>({
    ...{ id: "last", stage: "provision", title: "last", needs: [items[0].out, items[1].out, { step: "verify" }] },
    observe: async () => ({ is: "absent" }),
    plan: (seen) =>
      "later" in seen || got.length === 0 ? [{ id: "last", step: "last", verb: "run", subject: "last", fields: [] }] : [],
    apply: async (_, c) => {
      got.push(c.get(items[0].out), c.get(items[1].out), c.get({ step: "verify" }));
    },
    output: (actual) => actual,
  });
  const { results } = await up([...items, verify, last]);
  expect(results.map(({ outcome }) => outcome)).toEqual(["unchanged", "changed", "unchanged", "changed"]);
  expect(got).toEqual([1, 2, undefined]);
});

test("a failed step is not among the reasons of the next failure, and the first failure of a run stays the first", async () => {
  const shelf = new Shelf();
  const reasons: (string | undefined)[] = [];
  const failing = (name: string, after: readonly { step: string }[] = []) =>
    shelf.step(name, 1, {
      after,
      apply: async (_, c) => {
        reasons.push(c.failed());
        throw NO;
      },
    });
  await up([shelf.step("good", 1), failing("a"), failing("b", [{ step: "shelf/a" }]), failing("c", [{ step: "shelf/b" }])]);
  expect(reasons).toEqual([undefined, "number a", "number a"]);
});

test("after an interrupt a step that has not started says nothing", async () => {
  const session = testSession();
  const plan = await makePlan([new Shelf().step("a", 1)], session);
  session.events.length = 0;
  session.abort();
  await runPlan(plan, session);
  expect(session.events.map(({ type }) => type)).toEqual(["step.finished"]);
});
