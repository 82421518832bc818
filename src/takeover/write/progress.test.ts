import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect, test } from "vitest";
import { progress } from "./progress.ts";

const MIB = 1024 * 1024;

function saying() {
  const said: string[] = [];
  let now = 5_000;
  const real = realWorld();
  const world = { ...real, clock: { ...real.clock, monotonic: () => now } };
  const c = { world, signal: new AbortController().signal, say: (text: string) => void said.push(text) };
  const later = (ms: number) => {
    now += ms;
  };
  return { said, c, later };
}

test("progress is reported once a second, with the average speed", () => {
  const { said, c, later } = saying();
  const show = progress(c, "writing", 100 * MIB);
  for (let n = 1; n <= 25; n++) {
    later(100);
    show(n * MIB);
  }
  expect(said).toEqual(["writing: 10 %, 10 MiB, 10.0 MiB/s", "writing: 20 %, 20 MiB, 10.0 MiB/s"]);
});

test("without a known length no percentage is shown, and with a wrong one never more than 99", () => {
  const { said, c, later } = saying();
  const [unknown, wrong] = [progress(c, "a", undefined), progress(c, "b", MIB)];
  later(2000);
  unknown(3 * MIB);
  wrong(3 * MIB);
  expect(said).toEqual(["a: 3 MiB, 1.5 MiB/s", "b: 99 %, 3 MiB, 1.5 MiB/s"]);
});
