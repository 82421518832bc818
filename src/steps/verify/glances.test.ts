import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect, test } from "vitest";
import { Glances } from "./glances.ts";

/** Resolves with the number of the look, on request. */
function scene() {
  const time = { now: 0 };
  const clock = { ...realWorld().clock, monotonic: () => time.now };
  const glances = new Glances();
  const waiting: (() => void)[] = [];
  let looks = 0;
  const see = (isFirst: boolean) =>
    glances.see("pods", { isFirst, clock }, () => {
      const number = ++looks;
      return new Promise<number>((resolve) => waiting.push(() => resolve(number)));
    });
  const arrive = async () => {
    for (const answer of waiting.splice(0)) answer();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { time, see, arrive };
}

test("concurrent calls share one result", async () => {
  const { see, arrive } = scene();
  const both = [see(true), see(true)];
  await arrive();
  expect(await Promise.all(both)).toEqual([1, 1]);
});

test("a first look is content with what was just seen, a second one is not", async () => {
  const { see, arrive, time } = scene();
  see(true);
  await arrive();
  time.now += 5_000;
  expect(await see(true)).toBe(1);
  const again = see(false);
  await arrive();
  expect(await again).toBe(2);
});

test("an old result is not reused", async () => {
  const { see, arrive, time } = scene();
  see(true);
  await arrive();
  time.now += 5_001;
  const later = see(true);
  await arrive();
  expect(await later).toBe(2);
});

test("a second look joins another one's that is under way", async () => {
  const { see, arrive } = scene();
  see(true);
  await arrive();
  const both = [see(false), see(false)];
  await arrive();
  expect(await Promise.all(both)).toEqual([2, 2]);
});

test("a failed call fails for all who wait for it, and the next one is made again", async () => {
  const glances = new Glances();
  const { clock } = realWorld();
  let fails = true;
  const load = async () => {
    if (fails) throw new Error("away");
    return "there";
  };
  const both = [glances.see("x", { isFirst: true, clock }, load), glances.see("x", { isFirst: true, clock }, load)];
  for (const one of both) await expect(one).rejects.toThrow("away");
  fails = false;
  expect(await glances.see("x", { isFirst: false, clock }, load)).toBe("there");
});
