import { expect, test } from "vitest";
import { skippingClock } from "./skipping-clock.ts";

test("waits end in the order of their times, none early, and minutes of waiting need no minute", async () => {
  const clock = skippingClock();
  const started = clock.monotonic();
  const ended: [number, number][] = [];
  const wait = async (ms: number) => {
    await clock.sleep(ms);
    ended.push([ms, clock.monotonic() - started]);
  };
  await Promise.all([wait(600_000), wait(20), wait(60_000)]);
  expect(ended.map(([ms]) => ms)).toEqual([20, 60_000, 600_000]);
  expect(ended.filter(([ms, after]) => after < ms)).toEqual([]);
});

test("a wait that is aborted rejects with the reason, and no longer counts", async () => {
  const clock = skippingClock();
  const stop = new AbortController();
  const waiting = clock.sleep(60_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow("enough");
  await clock.sleep(10);
});

test("no time is skipped while a key is made on another thread", async () => {
  const clock = skippingClock();
  let finish = (): void => {};
  const slow = new Promise<never>((_, reject) => {
    finish = () => reject(new Error("no key"));
  });
  const keys = clock.keys({ ed25519: () => slow, p256: () => slow, rsa4096: () => slow });
  const made = keys.rsa4096().catch(() => {});
  const started = clock.monotonic();
  let isOver = false;
  const waiting = clock.sleep(600_000).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([isOver, clock.monotonic() - started < 600_000]).toEqual([false, true]);
  finish();
  await made;
  await waiting;
});
