import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { Shelf, type TestSession, testSession } from "../../test/support/toy.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import type { Step, WorkItem } from "./step.ts";

const turns = async (count = 20) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** Begins a run; `finished` has what ended so far, also when other steps wait for ever. */
async function begin(items: readonly WorkItem[], session: TestSession) {
  const run = runPlan(await makePlan(items, session), session);
  const finished = () =>
    session.events.flatMap((event) => (event.type === "step.finished" ? [`${event.step} ${event.outcome}`] : []));
  const queued = () => session.events.flatMap((event) => (event.type === "step.queued" ? [`${event.step} ${event.lane}`] : []));
  await turns();
  return { run, finished, queued };
}

const lanes = (...keys: string[]) => ({ lanes: () => keys.map((key) => ({ key, limit: 1 })) });

/** A step that holds its lanes until it is released. */
function holder(shelf: Shelf, ...keys: string[]) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const apply: Step<number, number>["apply"] = async () => {
    await released;
    shelf.values.set("holder", 1);
  };
  return { item: shelf.step("holder", 1, { ...lanes(...keys), apply }), release };
}

test.each([
  ["a", "b"],
  ["b", "a"],
])("lanes %s and %s are taken in the order of their names, so that two steps never wait for each other", async (one, other) => {
  const shelf = new Shelf();
  const { item, release } = holder(shelf, "a", "b");
  const { run, queued } = await begin([item, shelf.step("next", 1, lanes(one, other))], testSession());
  expect(queued()).toEqual(["shelf/next a"]);
  release();
  await run;
  expect(shelf.values.get("next")).toBe(1);
});

test("a step passes all of its lanes before it begins", async () => {
  const shelf = new Shelf();
  const { item, release } = holder(shelf, "b");
  const { run, queued } = await begin([item, shelf.step("next", 1, lanes("a", "b"))], testSession());
  expect(queued()).toEqual(["shelf/next b"]);
  expect(shelf.values.has("next")).toBe(false);
  release();
  await run;
});

test("a step that fails gives its lane to the next one", async () => {
  const shelf = new Shelf();
  const apply = () => Promise.reject(remoteError("NO", { message: "refused" }));
  const items = [shelf.step("bad", 1, { ...lanes("a"), apply }), shelf.step("next", 1, lanes("a"))];
  const { finished } = await begin(items, testSession());
  expect(finished()).toEqual(["shelf/bad failed", "shelf/next changed"]);
});

test("a step that fails while it waits for a lane gives back those that it has taken", async () => {
  const shelf = new Shelf();
  const session = testSession();
  session.bus.keep((event) => {
    if (event.type === "step.queued" && event.lane === "b") throw new Error("a view has a bug");
  });
  const { item, release } = holder(shelf, "b");
  const { finished } = await begin([item, shelf.step("queued", 1, lanes("a", "b")), shelf.step("next", 1, lanes("a"))], session);
  expect(finished()).toEqual(["shelf/queued failed", "shelf/next changed"]);
  release();
});

test("a step without changes waits for no lane", async () => {
  const shelf = new Shelf();
  shelf.values.set("done", 1);
  const { item, release } = holder(shelf, "a");
  const { finished, run } = await begin([item, shelf.step("done", 1, lanes("a"))], testSession());
  expect(finished()).toEqual(["shelf/done unchanged"]);
  release();
  await run;
});

test("an interrupt ends the wait for a lane", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const { item } = holder(shelf, "a");
  const { finished } = await begin([item, shelf.step("next", 1, lanes("a"))], session);
  session.abort();
  await turns();
  expect(finished()).toEqual(["shelf/next interrupted"]);
});
