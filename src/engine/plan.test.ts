import { remoteError } from "@talosmith/lib/errors.ts";
import { describe, expect, test } from "vitest";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { changesOf, errorsOf, failureIn, isComplete, makePlan } from "./plan.ts";
import { type Change, check, type Finding, known, type WorkItem } from "./step.ts";

const plan = async (items: readonly WorkItem[], session = testSession()) => (await makePlan(items, session)).planned;
const DOWN = remoteError("DOWN", { message: "the host is down" });
const finding = (level: Finding["level"], more: Partial<Finding> = {}): Finding => ({
  ...{ level, code: "X", message: "no host" },
  ...more,
});
const preflight = (id: string, ...findings: Finding[]) => check({ id, stage: "preflight", title: id, run: async () => findings });

test("the output of a step without changes is known to the steps that need it", async () => {
  const shelf = new Shelf();
  shelf.values.set("a", 7);
  const first = shelf.step("a", 7);
  let got: number | undefined;
  const second = shelf.step("b", 1, {
    needs: [first.out],
    observe: async (c) => {
      got = known(c, first.out);
      return { is: "absent" };
    },
  });
  const [a] = await plan([first, second]);
  expect(a).toMatchObject({ changes: [], output: 7 });
  expect(got).toBe(7);
});

test("a step that will change has its output only afterwards, whether its resource exists or not", async () => {
  const shelf = new Shelf();
  shelf.values.set("a", 1);
  const planned = await plan([shelf.step("a", 2), shelf.step("b", 2)]);
  expect(planned.map(({ output }) => output)).toEqual([{ later: "shelf/a" }, { later: "shelf/b" }]);
});

test("a resource that is absent, and shall be, has no output", async () => {
  const output = () => {
    throw new Error("there is nothing to make an output from");
  };
  const [gone] = await plan([new Shelf().step("a", 1, { plan: () => [], output })]);
  expect(gone).toMatchObject({ changes: [], output: undefined });
  expect(gone?.errors).toEqual([]);
});

test("notes on what is observed are part of the plan", async () => {
  const note = finding("warn", { code: "KEPT" });
  const [noted, plain] = await plan([new Shelf().step("a", 1, { notes: () => [note] }), new Shelf().step("b", 1)]);
  expect(noted?.findings).toEqual([note]);
  expect(plain?.findings).toEqual([]);
});

test("a step that fails to observe fails alone, and blocks those that need it, through any number of steps", async () => {
  const shelf = new Shelf();
  const bad = shelf.step("a", 1, { observe: () => Promise.reject(DOWN) });
  const next = shelf.step("b", 1, { needs: [bad.out] });
  const last = shelf.step("c", 1, { needs: [next.out] });
  const planned = await plan([bad, next, last, shelf.step("d", 1)]);
  expect(planned.map(({ errors: [error], blockedBy }) => error ?? blockedBy)).toEqual([DOWN, "shelf/a", "shelf/a", undefined]);
  expect(planned.map(({ changes }) => changes.length)).toEqual([0, 0, 0, 1]);
  expect(errorsOf({ planned })).toEqual([DOWN]);
  expect(shelf.log).toEqual(["look d"]);
});

test("an error that is no error of talosmith is reported as a bug of it", async () => {
  const [bad] = await plan([new Shelf().step("a", 1, { observe: () => Promise.reject(new TypeError("x is not a function")) })]);
  expect(bad?.errors).toMatchObject([{ kind: "internal", code: "INTERNAL" }]);
});

test("after an interrupt there is no plan, whatever the steps have failed with", async () => {
  const session = testSession();
  const observe = async () => {
    session.abort();
    throw DOWN;
  };
  await expect(plan([new Shelf().step("a", 1, { observe })], session)).rejects.toThrow("interrupted");
});

test("preflight checks run while planning, those of other stages only after the changes", async () => {
  const ran: string[] = [];
  const of = (id: string, stage: string) =>
    check({
      id,
      stage,
      title: id,
      run: async () => {
        ran.push(id);
        return [finding("warn", { code: id })];
      },
    });
  const planned = await plan([of("hosts", "preflight"), of("nodes", "verify")]);
  expect(ran).toEqual(["hosts"]);
  expect(planned.map(({ findings }) => findings.map(({ code }) => code))).toEqual([["hosts"], []]);
});

test("a preflight check with warnings alone passes, and its warnings are in the plan", async () => {
  const planned = await plan([preflight("hosts", finding("ok"), finding("warn")), new Shelf().step("a", 1)]);
  expect(planned.map(({ errors: [error], blockedBy }) => error ?? blockedBy)).toEqual([undefined, undefined]);
  expect(planned[0]?.findings.map(({ level }) => level)).toEqual(["ok", "warn"]);
});

test("the findings of a failed preflight check are in the plan", async () => {
  const [hosts] = await plan([preflight("hosts", finding("warn"), finding("fail"))]);
  expect(hosts?.findings.map(({ level }) => level)).toEqual(["warn", "fail"]);
});

describe("a check of changes", () => {
  const bridges = (log: (readonly Change[] | undefined)[], ...findings: Finding[]) =>
    check({
      id: "bridges",
      stage: "preflight",
      title: "bridges",
      before: ({ subject }) => subject === "a",
      run: async (_, changes) => {
        log.push(changes);
        return findings;
      },
    });

  test("runs only when the plan has such a change, with these changes", async () => {
    const shelf = new Shelf();
    const log: (readonly Change[] | undefined)[] = [];
    const items = [bridges(log), shelf.step("a", 1), shelf.step("b", 1)];
    const planned = await plan(items);
    expect(planned.map(({ item }) => item.id)).toEqual(["bridges", "shelf/a", "shelf/b"]);
    expect(log.map((changes) => changes?.map(({ subject }) => subject))).toEqual([["a"]]);
    shelf.values.set("a", 1);
    expect((await plan(items)).map(({ item }) => item.id)).toEqual(["shelf/a", "shelf/b"]);
    expect(log).toHaveLength(1);
  });

  test("reports each failure as an error of its own, with its place, beside the complete changes", async () => {
    const where = { file: "config.yaml", line: 3, column: 1 };
    const failures = [
      finding("fail", { code: "FIRST", message: "no vmbr7", hint: "create it", where }),
      finding("warn", { code: "W" }),
      finding("fail", { code: "SECOND", message: "no vmbr8" }),
    ];
    const planned = await plan([bridges([], ...failures), new Shelf().step("a", 1)]);
    expect(errorsOf({ planned })).toMatchObject([
      { code: "FIRST", message: "no vmbr7", hint: "create it", where },
      { code: "SECOND", message: "no vmbr8" },
    ]);
    expect(changesOf({ planned })).toHaveLength(1);
    expect(isComplete({ planned })).toBe(true);
  });

  test("that throws is an error too, and a step that cannot be observed makes the changes incomplete", async () => {
    const shelf = new Shelf();
    const broken = { ...bridges([]), run: () => Promise.reject(DOWN) };
    const planned = await plan([broken, shelf.step("a", 1)]);
    expect([errorsOf({ planned }), isComplete({ planned })]).toEqual([[DOWN], true]);
    const bad = shelf.step("b", 1, { observe: () => Promise.reject(DOWN) });
    expect(isComplete({ planned: await plan([bad, shelf.step("a", 1)]) })).toBe(false);
  });
});

test("an error names everything that failed, and each hint once", () => {
  const failure = failureIn("hosts", [
    finding("warn", { code: "W", message: "slow", hint: "buy another" }),
    finding("fail", { code: "FIRST", message: "pve1 is down", hint: "start it" }),
    finding("fail", { code: "SECOND", message: "pve2 is down", hint: "start it" }),
    finding("fail", { code: "THIRD", message: "pve3 is full" }),
  ]);
  expect(failure).toMatchObject({ kind: "remote", code: "FIRST", message: "Unable to continue: hosts", hint: "start it" });
  expect(failure?.detail).toBe("pve1 is down\npve2 is down\npve3 is full");
});

test("an error without hints has none, and what did not fail is no error", () => {
  expect(failureIn("hosts", [finding("fail")])?.hint).toBeUndefined();
  expect(failureIn("hosts", [finding("ok"), finding("warn")])).toBeUndefined();
});
