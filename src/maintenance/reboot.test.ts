import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import type { TalosNode } from "../talos/api/talos-node.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { reboot } from "./reboot.ts";

const NODE = { name: "worker-1", ip: "10.0.0.21", role: "worker" } as const;
const MINUTE = 60_000;
const GONE = remoteError("TALOS_UNAVAILABLE", { message: "no answer", transient: true });

/**
 * Reboots a node that answers `boots` one after the other, the last one for ever; a number is time that passes before the next answer. Returns how
 * many reboots were requested.
 */
async function rebooted(boots: readonly (string | number | Error)[], answer: () => Promise<void> = async () => {}) {
  const clock = instantClock();
  const session = testSession({ clock });
  const waiting = [...boots];
  let asked = 0;
  const api: Partial<TalosNode> = {
    bootId: async () => {
      let next = waiting.length > 1 ? waiting.shift() : waiting[0];
      if (typeof next === "number") {
        clock.pass(next);
        next = waiting.shift();
      }
      if (typeof next !== "string") throw next;
      return next;
    },
    reboot: async () => {
      asked++;
      await answer();
      return undefined as never;
    },
  };
  const talos = { node: () => api } as unknown as TalosNodes;
  const error = await reboot(talos, NODE, writeContext(session, "reboot", new Map())).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const waits = session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  return { asked, error, left: waiting.length, at: clock.monotonic(), waits: [...new Set(waits)] };
}

test("a reboot ends when the node answers from its next boot, not while it still answers from this one or is silent", async () => {
  expect(await rebooted(["first", "first", GONE, "second"])).toMatchObject({ asked: 1, error: undefined, left: 1 });
});

test("a reboot whose answer was lost is not repeated while the node goes down", async () => {
  expect(await rebooted(["first", "first", GONE, "second"], () => Promise.reject(GONE))).toMatchObject({
    asked: 1,
    error: undefined,
  });
});

test("a reboot whose answer was lost failed when the node still answers from the same boot two minutes later", async () => {
  const { asked, error, at } = await rebooted(["first"], () => Promise.reject(GONE));
  expect([asked, error]).toEqual([1, GONE]);
  expect(at).toBeGreaterThan(2 * MINUTE);
  expect(at).toBeLessThan(2.1 * MINUTE);
});

test("a node that accepted its reboot is given ten minutes to go down", async () => {
  expect(await rebooted(["first"])).toMatchObject({
    at: 10 * MINUTE,
    error: { code: "TIMEOUT", detail: expect.stringContaining("it has not gone down yet") },
  });
});

test("a refused reboot fails at once", async () => {
  const refused = remoteError("TALOS_REFUSED", { message: "not allowed" });
  expect(await rebooted(["first", "second"], () => Promise.reject(refused))).toMatchObject({
    error: { code: "TALOS_REFUSED" },
    left: 1,
  });
});

test("the wait names the error of the node while it is silent, and that it has not gone down before", async () => {
  const detailed = remoteError("TALOS_UNAVAILABLE", { message: "no answer", detail: "connection refused", transient: true });
  const { waits } = await rebooted(["first", "first", detailed, GONE, "second"]);
  expect(waits).toEqual(["it has not gone down yet", "connection refused", "no answer"]);
});

test("a node that does not answer is not rebooted, because the end of its reboot could not be seen", async () => {
  expect(await rebooted([GONE])).toMatchObject({ asked: 0, error: GONE });
});

test("a refusal while the node comes back ends the wait", async () => {
  const refused = remoteError("TALOS_REFUSED", { message: "not allowed" });
  expect(await rebooted(["first", "first", refused, "second"])).toMatchObject({ error: refused });
});

test.each([
  [2 * MINUTE, undefined],
  [2 * MINUTE + 1, GONE],
])(
  "a node that still answers from the same boot %i ms after a lost answer may still go down, or not: %s",
  async (ms, expected) => {
    const { error } = await rebooted(["first", ms, "first", "second"], () => Promise.reject(GONE));
    expect(error).toBe(expected);
  },
);
