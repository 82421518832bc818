import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../../test/support/instant-clock.ts";
import { testSession } from "../../../test/support/toy.ts";
import { readContext } from "../../engine/context.ts";
import type { Finding } from "../../engine/step.ts";
import { AFTER_CHANGES, AT_REST, eventually, type Patience } from "./eventually.ts";

const down: Finding = { level: "fail", code: "POD", message: "pod a is not ready: CrashLoopBackOff" };
const pulled: Finding = { level: "fail", code: "POD", message: "pod b is not ready: Pending, ContainerCreating", coming: true };
const fine: Finding = { level: "ok", code: "POD", message: "all ready" };

interface Look {
  patience?: Patience;
  booting?: boolean;
  look(now: number): Finding[];
}

/** The findings, how long it took, and the longest limit that was announced. */
async function repeated({ patience = AT_REST, booting = false, look }: Look) {
  const clock = instantClock();
  const session = testSession();
  const c = readContext({ ...session, world: { ...session.world, clock } }, "verify/pods", new Map(), new Map());
  const found = await eventually(c, {
    ...{ name: "pods are ready", patience },
    look: async () => look(clock.monotonic()),
    booting: async () => booting,
  });
  const limits = session.events.flatMap((event) => (event.type === "step.waiting" ? [event.limitMs] : []));
  return { found, took: clock.monotonic(), limit: Math.max(...limits) };
}

test("at rest, what is plainly down is reported within seconds", async () => {
  expect(await repeated({ look: () => [down] })).toEqual({ found: [down], took: AT_REST.stillMs, limit: AT_REST.stillMs });
});

test("at rest, what is on its way is waited for", async () => {
  const { found, took } = await repeated({ look: (now) => [now < 60_000 ? pulled : fine] });
  expect(found).toEqual([fine]);
  expect(took).toBeGreaterThanOrEqual(60_000);
});

test("what is on its way for too long is reported, without the word that it is", async () => {
  const { coming: _, ...reported } = pulled;
  expect(await repeated({ look: () => [pulled] })).toEqual({
    found: [reported],
    took: AT_REST.comingMs,
    limit: AT_REST.comingMs,
  });
});

test("something that is plainly down is not held back by something that is on its way", async () => {
  expect((await repeated({ look: () => [down, pulled] })).took).toBe(AT_REST.stillMs);
});

test("what turns out to be down while it is waited for is reported at once", async () => {
  const { took } = await repeated({ look: (now) => [now < 60_000 ? pulled : down] });
  expect(took).toBeLessThan(70_000);
});

test("while a node boots, its problems are waited for", async () => {
  expect((await repeated({ booting: true, look: () => [down] })).took).toBe(AT_REST.comingMs);
});

test("after changes, everything is waited for", async () => {
  expect((await repeated({ patience: AFTER_CHANGES, look: () => [down] })).took).toBe(AFTER_CHANGES.stillMs);
});

test("an error that may pass counts as a problem, another one ends the check", async () => {
  const error = (transient: boolean) => remoteError("TALOS_UNAVAILABLE", { message: "Unable", detail: "refused", transient });
  const throwing = (transient: boolean) => () => {
    throw error(transient);
  };
  const away: Finding = { level: "fail", code: "TALOS_UNAVAILABLE", message: "Unable: refused" };
  expect(await repeated({ look: throwing(true) })).toMatchObject({ found: [away], took: AT_REST.stillMs });
  await expect(repeated({ look: throwing(false) })).rejects.toThrow("Unable");
});
