import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { Shelf, type TestSession, testSession } from "../../test/support/toy.ts";
import type { Event } from "./event.ts";
import { changesOf, makePlan } from "./plan.ts";
import { runPlan, type StepResult } from "./run.ts";
import { check, isLater, known, NotYet, type WorkItem } from "./step.ts";

async function up(items: readonly WorkItem[], session: TestSession): Promise<Record<string, StepResult>> {
  const results = await runPlan(await makePlan(items, session), session);
  return Object.fromEntries(results.map((result) => [result.id.replace("shelf/", ""), result]));
}

const outcomes = (results: Record<string, StepResult>) =>
  Object.fromEntries(Object.entries(results).map(([id, one]) => [id, one.outcome]));

test("a missing resource is created, and the second plan is empty", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const items = [shelf.step("a", 1), shelf.step("b", 2)];
  expect(outcomes(await up(items, session))).toEqual({ a: "changed", b: "changed" });
  expect(changesOf(await makePlan(items, session))).toEqual([]);
  expect(shelf.values).toEqual(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  );
});

test("planning changes nothing", async () => {
  const shelf = new Shelf();
  await makePlan([shelf.step("a", 1)], testSession());
  expect(shelf.values.size).toBe(0);
  expect(shelf.log).toEqual(["look a"]);
});

test("a value that depends on a change is known after it, and is there when it is needed", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const first = shelf.step("a", 7);
  let got: number | undefined;
  const second = shelf.step("b", 2, {
    needs: [first.out],
    apply: async (_, c) => {
      got = known(c, first.out);
      shelf.values.set("b", 2);
    },
  });
  const plan = await makePlan([first, second], session);
  expect(isLater(plan.planned[0]?.output)).toBe(true);
  await runPlan(plan, session);
  expect(got).toBe(7);
});

test("a step that must read what is not made yet is planned without looking", async () => {
  const shelf = new Shelf();
  const first = shelf.step("a", 1);
  const second = shelf.step("b", 2, {
    needs: [first.out],
    observe: async (c) => ({ is: "present", actual: known(c, first.out), owner: "us" }),
  });
  const plan = await makePlan([first, second], testSession());
  expect(plan.planned[1]?.changes[0]?.verb).toBe("create");
  expect(plan.planned[1]?.errors).toEqual([]);
});

test("after a failure what depends on it is blocked, and independent branches go on", async () => {
  const shelf = new Shelf();
  const bad = shelf.step("bad", 1, { apply: () => Promise.reject(remoteError("NO", { message: "refused" })) });
  const dependent = shelf.step("dependent", 1, { needs: [bad.out] });
  const after = shelf.step("after", 1, { needs: [dependent.out] });
  const results = await up([bad, dependent, after, shelf.step("other", 1)], testSession());
  expect(outcomes(results)).toEqual({ bad: "failed", dependent: "blocked", after: "blocked", other: "changed" });
  expect(results.after?.blockedBy).toBe("shelf/bad");
});

test("a step that only comes after another waits for it, and runs even when it failed", async () => {
  const shelf = new Shelf();
  let refuse = () => {};
  const refused = new Promise<void>((_, reject) => {
    refuse = () => reject(remoteError("NO", { message: "refused" }));
  });
  const bad = shelf.step("bad", 1, { apply: () => refused });
  const needing = shelf.step("needing", 1, { needs: [bad.out] });
  const first = shelf.step("first", 1);
  const later = check({
    id: "later",
    stage: "verify",
    title: "later",
    needs: [first.out],
    after: [bad.out, needing.out],
    run: async () => {
      shelf.log.push("later");
      return [];
    },
  });
  const running = up([later, bad, needing, first], testSession());
  await new Promise((resolve) => setImmediate(resolve));
  expect(shelf.log).not.toContain("later");
  refuse();
  expect(outcomes(await running)).toEqual({ bad: "failed", needing: "blocked", first: "changed", later: "unchanged" });
  expect(shelf.log).toContain("later");
});

test("steps that depend on each other in a cycle are refused before any observation", async () => {
  const shelf = new Shelf();
  const first = shelf.step("first", 1, { after: [{ step: "shelf/second" }] });
  const second = shelf.step("second", 1, { needs: [first.out] });
  await expect(makePlan([first, second], testSession())).rejects.toMatchObject({
    code: "GRAPH",
    message: "Steps wait for each other: shelf/first → shelf/second → shelf/first",
  });
  expect(shelf.log).toEqual([]);
});

test("a step that applied without effect fails and names the field that did not converge", async () => {
  const shelf = new Shelf();
  const results = await up([shelf.step("a", 1, { apply: async () => {} })], testSession());
  expect(results.a?.outcome).toBe("failed");
  expect(results.a?.error?.code).toBe("NOT_CONVERGED");
  expect(results.a?.error?.detail).toContain("a: value is null, should be 1");
});

test("a world that changed since the plan stops the step before anything is done", async () => {
  const shelf = new Shelf();
  shelf.values.set("a", 5);
  const session = testSession();
  const plan = await makePlan([shelf.step("a", 1)], session);
  shelf.values.set("a", 6);
  const [result] = await runPlan(plan, session);
  expect(result?.error?.code).toBe("WORLD_CHANGED");
  expect(result?.error?.detail).toBe("a: value is now 6");
  expect(shelf.values.get("a")).toBe(6);
});

test("the same change made by another program meanwhile does not stop the run", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const plan = await makePlan([shelf.step("a", 1)], session);
  shelf.values.set("a", 1);
  const [result] = await runPlan(plan, session);
  expect(result?.outcome).toBe("unchanged");
  expect(shelf.log).not.toContain("put a");
});

test("after a lost response the step observes again and does nothing twice", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const lossy = shelf.step("a", 1, {
    apply: async (_, c) => {
      await c.mutate({ key: "a", what: "put a" }, async () => {
        shelf.log.push("put a");
        shelf.values.set("a", 1);
        throw remoteError("CONNECTION_LOST", { message: "gone", transient: true });
      });
    },
  });
  expect(outcomes(await up([lossy], session))).toEqual({ a: "changed" });
  expect(shelf.log.filter((line) => line === "put a")).toHaveLength(1);
});

test("a step fails when a transient error persists over several attempts", async () => {
  const shelf = new Shelf();
  let tries = 0;
  const results = await up(
    [
      shelf.step("a", 1, {
        apply: () => {
          tries++;
          return Promise.reject(remoteError("BUSY", { message: "busy", transient: true }));
        },
      }),
    ],
    testSession({ timeScale: 1000 }),
  );
  expect(results.a?.error?.code).toBe("BUSY");
  expect(tries).toBe(4);
});

test("an intent is emitted before a mutation and its outcome after it, also when it fails", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const failing = shelf.step("b", 1, {
    apply: async (_, c) => {
      await c.mutate({ key: "b", what: "put b" }, () => Promise.reject(remoteError("NO", { message: "refused" })));
    },
  });
  await up([shelf.step("a", 1), failing], session);
  const told = session.events.flatMap((event: Event) =>
    event.type.startsWith("mutation.") && "key" in event ? [`${event.type} ${event.key}`] : [],
  );
  expect(told.filter((line) => line.endsWith(" a"))).toEqual(["mutation.intent a", "mutation.outcome a"]);
  expect(told.filter((line) => line.endsWith(" b"))).toEqual(["mutation.intent b", "mutation.outcome b"]);
});

test("a mutation whose intent cannot be kept does not happen", async () => {
  const shelf = new Shelf();
  const session = testSession();
  session.bus.keep((event) => {
    if (event.type === "mutation.intent") throw new Error("no space left on device");
  });
  const results = await up([shelf.step("a", 1)], session);
  expect(results.a?.outcome).toBe("failed");
  expect(shelf.values.size).toBe(0);
});

test("a failing preflight check keeps everything else from starting", async () => {
  const shelf = new Shelf();
  const bad = check({
    id: "check",
    stage: "preflight",
    title: "a check",
    run: async () => [{ level: "fail", code: "X", message: "no host" }],
  });
  const plan = await makePlan([bad, shelf.step("a", 1)], testSession());
  expect(plan.planned.map((one) => one.errors[0]?.code ?? one.blockedBy)).toEqual(["X", "check"]);
  expect(shelf.log).toEqual([]);
});

test("unreadable is never taken for absent", async () => {
  const shelf = new Shelf();
  const plan = await makePlan(
    [shelf.step("a", 1, { observe: async () => ({ is: "unreadable", why: remoteError("DOWN", { message: "host is down" }) }) })],
    testSession(),
  );
  expect(plan.planned[0]?.errors[0]?.code).toBe("DOWN");
  expect(changesOf(plan)).toEqual([]);
});

test("a guard that fails right before applying stops the step", async () => {
  const shelf = new Shelf();
  const results = await up(
    [shelf.step("a", 1, { guard: async () => [{ level: "fail", code: "QUORUM", message: "the rest would lose quorum" }] })],
    testSession(),
  );
  expect(results.a?.error?.code).toBe("QUORUM");
  expect(shelf.values.size).toBe(0);
});

test("after an interrupt nothing new is begun", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const first = shelf.step("a", 1, {
    apply: async (_, c) => {
      await c.mutate({ key: "a", what: "put a" }, async () => {
        shelf.values.set("a", 1);
        return 1;
      });
      session.abort();
    },
  });
  const results = await up([first, shelf.step("b", 1, { needs: [first.out] })], session);
  expect(results.b?.outcome).toBe("interrupted");
  expect(shelf.values.has("b")).toBe(false);
});

test("a lane lets only as many through as it says, and says who waits", async () => {
  const shelf = new Shelf();
  const session = testSession();
  let now = 0;
  let most = 0;
  const items = ["a", "b", "c", "d"].map((name) =>
    shelf.step(name, 1, {
      lanes: () => [{ key: "disk", limit: 2 }],
      apply: async () => {
        most = Math.max(most, ++now);
        await session.world.clock.sleep(500);
        shelf.values.set(name, 1);
        now--;
      },
    }),
  );
  await up(items, session);
  expect(most).toBe(2);
  expect(session.events.filter((event) => event.type === "step.queued")).toHaveLength(2);
});

test("a resource shared by several steps is read once while planning", async () => {
  const shelf = new Shelf();
  let loads = 0;
  const observe: ReturnType<Shelf["step"]>["observe"] = async (c) => {
    const actual = await c.shared("list", async () => ++loads);
    return { is: "present", actual, owner: "us" };
  };
  await makePlan(
    [shelf.step("a", 1, { observe }), shelf.step("b", 1, { observe }), shelf.step("c", 1, { observe })],
    testSession(),
  );
  expect(loads).toBe(1);
});

test("a step may wait for what it has done to settle", async () => {
  const shelf = new Shelf();
  const session = testSession();
  let polls = 0;
  const slow = shelf.step("a", 1, {
    settle: [{ name: "a rests", timeoutMs: 60_000, poll: async () => (++polls > 3 ? true : { reason: `poll ${polls}` }) }],
  });
  expect(outcomes(await up([slow], session))).toEqual({ a: "changed" });
  expect(session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []))).toEqual([
    "poll 1",
    "poll 2",
    "poll 3",
  ]);
});

test("a wait that takes too long fails with the last reason seen", async () => {
  const shelf = new Shelf();
  const slow = shelf.step("a", 1, {
    settle: [{ name: "etcd is healthy", timeoutMs: 1_000, poll: async () => ({ reason: "2 of 3 members" }) }],
  });
  const results = await up([slow], testSession());
  expect(results.a?.error).toMatchObject({
    code: "TIMEOUT",
    message: "Unable to confirm within 1 s that etcd is healthy",
    detail: "last seen: 2 of 3 members",
  });
});

test("a step whose state cannot be read yet is planned as such, and waited for when it runs", async () => {
  const shelf = new Shelf();
  const session = testSession();
  let looks = 0;
  const hidden = shelf.step("a", 1, {
    observe: async () => {
      looks++;
      if (looks < 4) throw new NotYet({ later: "shelf/a" }, "the shelf is dark");
      return { is: "absent" };
    },
    plan: (seen) => {
      const at = { id: "shelf/a", step: "shelf/a", verb: "create" as const, subject: "a" };
      if ("later" in seen) return [{ ...at, fields: [{ path: "value", from: seen, to: 1 }] }];
      return shelf.values.has("a") ? [] : [{ ...at, fields: [{ path: "value", from: null, to: 1 }] }];
    },
    apply: async () => {
      shelf.values.set("a", 1);
    },
  });
  expect(outcomes(await up([hidden], session))).toEqual({ a: "changed" });
  expect(session.events).toContainEqual(expect.objectContaining({ type: "step.waiting", reason: "the shelf is dark" }));
});

test("a step whose state never becomes readable fails with the last reason", async () => {
  const shelf = new Shelf();
  const hidden = shelf.step("a", 1, {
    visibleWithinMs: 200,
    observe: async () => {
      throw new NotYet({ later: "shelf/a" }, "the shelf is dark");
    },
    plan: () => [{ id: "shelf/a", step: "shelf/a", verb: "run", subject: "a", fields: [] }],
  });
  const { a } = await up([hidden], testSession());
  expect(a?.error).toMatchObject({ code: "TIMEOUT", detail: "last seen: the shelf is dark" });
});

test("notes on the state that was reached are reported, except those that the plan has reported already", async () => {
  const shelf = new Shelf();
  const session = testSession();
  const kept = { level: "warn", code: "KEPT", message: "the disk is kept" } as const;
  const made = { level: "warn", code: "MADE", message: "the disk is new" } as const;
  const noted = shelf.step("a", 1, { notes: (seen) => (seen.is === "present" ? [kept, made] : [kept]) });
  await up([noted], session);
  const findings = session.events.flatMap((event) => (event.type === "step.finding" ? [event.finding.code] : []));
  expect(findings).toEqual(["KEPT", "MADE"]);
});

test.each([
  ["fail", "failed"],
  ["warn", "unchanged"],
] as const)("a check of what was made that says %s is %s", async (level, outcome) => {
  const shelf = new Shelf();
  const session = testSession();
  const made = shelf.step("a", 1);
  const finding = { level, code: "NODE", message: "worker-1 is NotReady", hint: "look at its console" };
  const verify = check({ id: "verify", stage: "verify", title: "nodes", needs: [made.out], run: async () => [finding] });
  const results = await up([made, verify], session);
  expect(outcomes(results)).toEqual({ a: "changed", verify: outcome });
  expect(session.events).toContainEqual(expect.objectContaining({ type: "step.finding", finding }));
  if (level === "fail")
    expect(results.verify?.error).toMatchObject({ code: "NODE", detail: finding.message, hint: finding.hint });
});
