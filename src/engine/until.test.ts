import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import type { Read } from "./step.ts";
import { waitUntil } from "./until.ts";

function reader() {
  const clock = instantClock();
  const stop = new AbortController();
  const c = { world: { clock }, signal: stop.signal } as unknown as Read;
  return { c, clock, now: clock.monotonic, stop };
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

test.each([
  [0, 50],
  [249, 50],
  [1_000, 200],
  [24_000, 4_800],
  [30_000, 5_000],
])("after %i ms of waiting the next look comes %i ms later", async (waited, pause) => {
  const { c, clock, now } = reader();
  const looks: number[] = [];
  const poll = async () => {
    looks.push(now());
    if (looks.length === 2) return true as const;
    clock.pass(waited);
    return { reason: "not yet" };
  };
  await waitUntil({ name: "etcd healthy", timeoutMs: 60_000, poll }, c, () => {});
  expect(looks).toEqual([0, waited + pause]);
});

test.each([
  ["when it takes as long as usual, a few polls notice its end at once", 5_000, 5_000, 5_250, 9],
  ["when it takes much less than usual, its end is noticed within half of the usual time", 1_000, 20_000, 10_000, 3],
  ["when it takes longer than usual, its end is noticed within a fifth of the time", 10_000, 5_000, 12_000, 16],
])("with a usual duration, %s", async (_, takes, usualMs, noticed, polls) => {
  const { c, now } = reader();
  let looks = 0;
  const poll = async () => {
    looks++;
    return now() >= takes ? (true as const) : { reason: "not yet" };
  };
  await waitUntil({ name: "etcd healthy", timeoutMs: 60_000, usualMs, poll }, c, () => {});
  expect(now()).toBeGreaterThanOrEqual(takes);
  expect(now()).toBeLessThanOrEqual(noticed);
  expect(looks).toBeLessThanOrEqual(polls);
});

/** Waits with looks that end at these times, with this reason, and returns what was reported. */
async function reported(looks: readonly (readonly [at: number, reason: string])[]) {
  const { c, clock, now } = reader();
  const reports: [number, string][] = [];
  const left = [...looks];
  const poll = async () => {
    const [at, reason] = left.shift() ?? [0, ""];
    if (reason === "") return true as const;
    clock.pass(at - now());
    return { reason };
  };
  await waitUntil(
    { name: "etcd healthy", timeoutMs: 3_600_000, poll },
    c,
    (reason, elapsed) => void reports.push([elapsed, reason]),
  );
  return reports;
}

test("a reason is reported once while it stays the same, and each new one at once", async () => {
  const looks = [
    [10, "2 of 3 members"],
    [400, "2 of 3 members"],
    [800, "no leader"],
    [1_600, "2 of 3 members"],
  ] as const;
  expect(await reported(looks)).toEqual([looks[0], looks[2], looks[3]]);
});

test("an unchanged reason is reported again at 5 s, and then each time the wait has doubled", async () => {
  const looks = [10, 4_999, 5_000, 9_999, 19_998, 20_000, 39_999, 40_000];
  const reports = await reported(looks.map((at) => [at, "no leader"] as const));
  expect(reports.map(([at]) => at)).toEqual([10, 5_000, 19_998, 39_999]);
});

test("a condition that holds at the first look is no wait", async () => {
  const { c, now } = reader();
  const poll = async () => true as const;
  await waitUntil({ name: "etcd healthy", timeoutMs: 1_000, poll }, c, () => {
    throw new Error("nothing is to be reported");
  });
  expect(now()).toBe(0);
});

test("after an interrupt the condition is not looked at any more", async () => {
  const { c, stop } = reader();
  let looks = 0;
  const poll = async () => {
    looks++;
    return { reason: "not yet" };
  };
  stop.abort(new Error("interrupted"));
  await expect(waitUntil({ name: "etcd healthy", timeoutMs: 1_000, poll }, c, () => {})).rejects.toThrow("interrupted");
  expect(looks).toBe(0);
});

test("an interrupt ends the pause between two looks", async () => {
  const { c, now, stop } = reader();
  const poll = async () => ({ reason: "not yet" });
  const waited = waitUntil({ name: "etcd healthy", timeoutMs: 1_000, poll }, c, () => stop.abort(new Error("interrupted")));
  await expect(waited).rejects.toThrow("interrupted");
  expect(now()).toBe(0);
});
