import type { Files, World } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type Lock, lockEnvironment, takeLockAway } from "./lock.ts";

// Concurrent processes on one lock: one is stopped at each of its file operations in turn, while others run to their end.

const DESK = { host: "desk", bootId: "b", machineId: "m" };

/** A lock that its holder never released. */
function abandoned(): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env/.talosmith", 0o700);
  const held = lockEnvironment(testWorld({ files, seed: "dead" }), "/env", "up");
  const left = files.afterKill();
  held.release();
  left.now = 200_000;
  return left;
}

/** Files that stop their user once, right before an operation. */
class Stopping {
  readonly files: Files;
  /** Since `stop` was called. */
  operations = 0;
  #stop: { at: number; meanwhile: () => void } | undefined;

  constructor(own: VolatileFiles) {
    this.files = new Proxy<Files>(own, {
      get: (_, name: keyof Files) => {
        const member = own[name].bind(own) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (++this.operations === this.#stop?.at) this.#stop.meanwhile();
          return member(...args);
        };
      },
    });
  }

  stop(at: number, meanwhile: () => void): void {
    this.operations = 0;
    this.#stop = { at, meanwhile };
  }
}

/** Repeats the scenario with a stop at the first operation, the second, and so on; returns the number of operations. */
function atEachOperation(play: (at: number) => Stopping): number {
  for (let at = 1; ; at++) if (play(at).operations < at) return at - 1;
}

function attempt(world: World): Lock | undefined {
  try {
    return lockEnvironment(world, "/env", "up");
  } catch (error) {
    expect(error).toMatchObject({ code: "LOCKED" });
    return undefined;
  }
}

function holds(lock: Lock | undefined): boolean {
  try {
    lock?.check();
    return lock !== undefined;
  } catch {
    return false;
  }
}

test("of two that take over the same dead lock exactly one has it, whenever they meet", () => {
  const operations = atEachOperation((at) => {
    const files = abandoned();
    const stopping = new Stopping(files);
    let second: Lock | undefined;
    const other = testWorld({ files, self: { pid: 2 }, alive: [1], seed: "second" });
    stopping.stop(at, () => {
      second = attempt(other);
    });
    const first = attempt(testWorld({ files: stopping.files, self: { pid: 1 }, alive: [2], seed: "first" }));
    expect([first, second].filter((lock) => lock !== undefined).map(holds)).toEqual([true]);
    first?.release();
    second?.release();
    return stopping;
  });
  expect(operations).toBeGreaterThan(8);
});

test("a second unlock that comes late takes nothing from the command that has the lock by then", () => {
  const operations = atEachOperation((at) => {
    const files = abandoned();
    const stopping = new Stopping(files);
    const desk = (pid: number, on: Files = files) =>
      testWorld({ files: on, self: { ...DESK, pid }, alive: [1, 2, 3], seed: `${pid}` });
    let next: Lock | undefined;
    stopping.stop(at, () => {
      takeLockAway(desk(2), "/env");
      next = lockEnvironment(desk(3), "/env", "up");
    });
    try {
      takeLockAway(desk(1, stopping.files), "/env");
    } catch (error) {
      expect(error).toMatchObject({ code: "LOCKED" });
    }
    expect(next === undefined || holds(next)).toBe(true);
    next?.release();
    return stopping;
  });
  expect(operations).toBeGreaterThan(5);
});

test("a holder that wakes up and gives its lock back takes nothing from the command that has it by then", () => {
  const operations = atEachOperation((at) => {
    const files = new VolatileFiles();
    files.makeFolder("/env", 0o700);
    const stopping = new Stopping(files);
    const desk = (pid: number) => testWorld({ files, self: { ...DESK, pid }, seed: `${pid}` });
    const first = lockEnvironment(testWorld({ files: stopping.files, seed: "first" }), "/env", "up");
    files.now += 100_000;
    let next: Lock | undefined;
    stopping.stop(at, () => {
      takeLockAway(desk(2), "/env");
      next = lockEnvironment(desk(3), "/env", "up");
    });
    first.release();
    expect(next === undefined || holds(next)).toBe(true);
    next?.release();
    return stopping;
  });
  expect(operations).toBe(2);
});
