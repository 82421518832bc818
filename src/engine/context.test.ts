import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { type Outputs, readContext, writeContext } from "./context.ts";

const reader = (outputs: Outputs = new Map(), session = testSession()) => readContext(session, "a", outputs, new Map());

test("a step reads the outputs of its needs, also those that are undefined", () => {
  const c = reader(new Map<string, unknown>(Object.entries({ b: 7, c: undefined })));
  expect(c.get({ step: "b" })).toBe(7);
  expect(c.get({ step: "c" })).toBeUndefined();
});

test("reading the output of a step that is not needed is a bug in the workflow", () => {
  const message = "a uses the output of b without depending on it";
  expect(() => reader().get({ step: "b" })).toThrow(expect.objectContaining({ kind: "internal", code: "GRAPH", message }));
});

test("while reading, equal queries share one call, even before it is answered, and other queries do not", async () => {
  const c = reader();
  let loads = 0;
  const load = async () => ++loads;
  const answers = await Promise.all([c.shared("nodes", load), c.shared("nodes", load), c.shared("pods", load)]);
  expect(answers).toEqual([1, 1, 2]);
});

test("progress and waits are events of their step", async () => {
  const session = testSession({ clock: instantClock() });
  const c = reader(new Map(), session);
  c.say("looking");
  const answers = [{ reason: "no leader" }, true] as const;
  let polls = 0;
  await c.until({ name: "etcd healthy", timeoutMs: 9_000, poll: async () => answers[polls++] ?? true });
  const at = expect.any(String);
  expect(session.events).toEqual([
    { at, type: "step.progress", step: "a", text: "looking" },
    { at, type: "step.waiting", step: "a", condition: "etcd healthy", reason: "no leader", elapsedMs: 0, limitMs: 9_000 },
  ]);
});

test("a step learns of the first failure of the run", () => {
  const session = testSession();
  expect(reader(new Map(), session).failed()).toBeUndefined();
  expect(reader(new Map(), { ...session, failures: ["machine a", "machine b"] }).failed()).toBe("machine a");
});

/** Makes one mutation; returns the events of it, and its result or error. */
async function mutated(call: () => Promise<string | undefined>, hint?: string) {
  const session = testSession();
  const c = writeContext(session, "a", new Map());
  const mutation = { key: "vm 100", what: "create", ...(hint !== undefined && { hint }) };
  const ended = await c.mutate(mutation, call).catch((error: unknown) => error);
  return { ended, events: session.events.map(({ at, ...event }) => event) };
}

const OF = { step: "a", key: "vm 100", what: "create" };

test("a mutation is recorded with its hint before the call, and with its result afterwards", async () => {
  const { ended, events } = await mutated(async () => "task 1", "pve1");
  expect(ended).toBe("task 1");
  expect(events).toStrictEqual([
    { type: "mutation.intent", ...OF, hint: "pve1" },
    { type: "mutation.outcome", ...OF, ok: true, result: "task 1" },
  ]);
});

test("a mutation without hint and result is recorded without them", async () => {
  const { events } = await mutated(async () => undefined);
  expect(events).toStrictEqual([
    { type: "mutation.intent", ...OF },
    { type: "mutation.outcome", ...OF, ok: true },
  ]);
});

test("a failed mutation is recorded with its error, which the step gets", async () => {
  const refused = remoteError("NO", { message: "refused", transient: true });
  const { ended, events } = await mutated(() => Promise.reject(refused));
  expect(ended).toBe(refused);
  expect(events.at(-1)).toStrictEqual({ type: "mutation.outcome", ...OF, ok: false, error: refused.report() });
});

test.each(["an interrupt", "the loss of the lock"])("after %s no mutation is recorded or sent", async (why) => {
  const session = testSession();
  if (why === "an interrupt") session.abort();
  else
    session.mayMutate = () => {
      throw new Error("lock lost");
    };
  let calls = 0;
  const sent = writeContext(session, "a", new Map()).mutate({ key: "vm 100", what: "create" }, async () => ++calls);
  await expect(sent).rejects.toThrow(why === "an interrupt" ? "interrupted" : "lock lost");
  expect([calls, session.events]).toEqual([0, []]);
});
