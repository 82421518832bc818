import { expect, test } from "vitest";
import type { Read } from "./step.ts";
import { waitUntil } from "./until.ts";

/** A clock that only sleeping moves forward, by at least a millisecond. */
function reader() {
  let now = 0;
  const sleep = async (ms: number) => {
    now += Math.max(1, ms);
  };
  const c = { world: { clock: { monotonic: () => now, sleep } }, signal: new AbortController().signal } as unknown as Read;
  return { c, now: () => now };
}

test.each([1_000, 90_000, 15 * 60_000])(
  "a wait ends at its limit of %i ms, with a last look at that moment",
  async (timeoutMs) => {
    const { c, now } = reader();
    const looks: number[] = [];
    const poll = async () => {
      if (now() > timeoutMs) throw new Error("it looks again after its limit");
      looks.push(now());
      return { reason: "not yet" };
    };
    const waited = waitUntil({ name: "etcd healthy", timeoutMs, poll }, c, () => {});
    await expect(waited).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(now()).toBe(timeoutMs);
    expect(looks.at(-1)).toBe(timeoutMs);
  },
);
