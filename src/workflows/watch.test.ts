import { internalError, remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { watched } from "./watch.ts";

const away = remoteError("UNREACHABLE", { message: "Unable to reach pve", detail: "connection refused", hint: "is it on?" });

/** Watches until the looks are over; each of them may fail. Returns the times of the looks and the events. */
async function watching(...outcomes: (Error | undefined)[]) {
  const clock = instantClock();
  const session = testSession();
  const looks: number[] = [];
  const look = async () => {
    const outcome = outcomes[looks.length];
    looks.push(clock.monotonic());
    if (looks.length === outcomes.length) void clock.sleep(1_000).then(() => session.abort());
    if (outcome) throw outcome;
  };
  const ended = watched({ ...session, world: { ...session.world, clock } }, 5_000, look);
  return { exitCode: await ended, looks, events: session.events };
}

test("it looks at once and after each interval, until it is interrupted, which is success", async () => {
  expect(await watching(undefined, undefined, undefined)).toEqual({ exitCode: 0, looks: [0, 5_000, 10_000], events: [] });
});

test("an error of the first look ends it", async () => {
  await expect(watching(away, undefined)).rejects.toThrow("Unable to reach pve");
});

test("an error of a later look is shown, and the next look follows", async () => {
  const { looks, events } = await watching(undefined, away, undefined);
  expect(looks).toHaveLength(3);
  expect(events).toMatchObject([
    { type: "notice", level: "warn", message: "Unable to reach pve: connection refused", hint: "is it on?" },
  ]);
});

test("a bug is not watched", async () => {
  await expect(watching(undefined, internalError("BUG", { message: "a bug" }), undefined)).rejects.toThrow("a bug");
});
