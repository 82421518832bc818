import type { World } from "@talosmith/lib/world/world.ts";
import { afterEach, expect, test } from "vitest";
import { systemError } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type Lock, lockEnvironment, takeLockAway } from "./lock.ts";

const MINUTE = 60_000;
let held: Lock | undefined;
afterEach(() => held?.release());

/** A holder whose clock is moved by the test: `pass` ends its present sleep. */
function holder() {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  const touched: string[] = [];
  const touch = files.touch.bind(files);
  files.touch = (path) => {
    touched.push(path);
    touch(path);
  };
  const sleeps: { ms: number; signal: AbortSignal | undefined; end: () => void }[] = [];
  const world = testWorld({ files });
  const clock: World["clock"] = {
    ...world.clock,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push({ ms, signal, end: resolve });
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  held = lockEnvironment({ ...world, clock }, "/env", "up");
  const pass = async () => {
    files.now += sleeps.at(-1)?.ms ?? 0;
    sleeps.at(-1)?.end();
    await new Promise(setImmediate);
  };
  return { files, touched, sleeps, pass, lock: held };
}

const desk = (files: VolatileFiles) => testWorld({ files, self: { host: "desk", bootId: "b", machineId: "m" }, seed: "desk" });

test("a holder gives a sign of life every five seconds, a dozen before a user may call it silent", async () => {
  const { files, touched, sleeps, pass } = holder();
  expect(touched).toEqual([]);
  for (let n = 1; n <= 3; n++) {
    expect(sleeps.map(({ ms }) => ms)).toEqual(Array.from({ length: n }, () => 5_000));
    await pass();
    expect(touched).toHaveLength(n);
  }
  files.now += MINUTE - 1;
  expect(() => takeLockAway(desk(files), "/env")).toThrow(expect.objectContaining({ code: "LOCKED" }));
  await pass();
  expect(() => takeLockAway(desk(files), "/env")).toThrow(
    expect.objectContaining({ detail: expect.stringMatching(/: 0 s ago$/) }),
  );
});

test("a sign of life that fails is ignored, and the next one comes", async () => {
  const { files, touched, pass, lock } = holder();
  const touch = files.touch.bind(files);
  files.touch = () => {
    throw systemError("EIO", "open");
  };
  await pass();
  files.touch = touch;
  await pass();
  expect(touched).toHaveLength(1);
  expect(() => lock.check()).not.toThrow();
});

test("a released lock gives no more signs of life and ends its sleep", async () => {
  const { touched, sleeps, lock } = holder();
  lock.release();
  expect(sleeps.at(-1)?.signal?.aborted).toBe(true);
  await new Promise(setImmediate);
  expect(touched).toEqual([]);
  expect(sleeps).toHaveLength(1);
});
