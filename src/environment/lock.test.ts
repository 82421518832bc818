import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { lockEnvironment } from "./lock.ts";

function folder() {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  return files;
}

test("a second command is refused, and told who holds the lock", () => {
  const files = folder();
  lockEnvironment(testWorld({ files, alive: [4711] }), "/env", "up");
  const other = testWorld({ files, self: { pid: 4712 }, alive: [4711], seed: "other" });
  expect(() => lockEnvironment(other, "/env", "down")).toThrow(
    expect.objectContaining({ code: "LOCKED", detail: expect.stringMatching(/^talosmith up, process 4711 on here, since /) }),
  );
});

test("a dead holder's lock is taken over", () => {
  const files = folder();
  lockEnvironment(testWorld({ files }), "/env", "up");
  const next = lockEnvironment(testWorld({ files, self: { pid: 4712 }, seed: "other" }), "/env", "up");
  expect(() => next.check()).not.toThrow();
});

test("a pid that was given out again to another process does not keep the lock alive", () => {
  const files = folder();
  lockEnvironment(testWorld({ files }), "/env", "up");
  const reborn = testWorld({ files, self: { pid: 4711, startedAt: "2" }, seed: "other" });
  expect(() => lockEnvironment(reborn, "/env", "up")).not.toThrow();
});

test("another boot of the same host holds nothing any more", () => {
  const files = folder();
  lockEnvironment(testWorld({ files }), "/env", "up");
  const rebooted = testWorld({ files, self: { pid: 1, bootId: "next" }, alive: [4711], seed: "other" });
  expect(() => lockEnvironment(rebooted, "/env", "up")).not.toThrow();
});

test("another host's lock is never taken silently, only when that host is named", () => {
  const files = folder();
  lockEnvironment(testWorld({ files, self: { host: "laptop" } }), "/env", "up");
  const desk = testWorld({ files, self: { host: "desk" }, seed: "other" });
  expect(() => lockEnvironment(desk, "/env", "up")).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("--take-lock-from laptop") }),
  );
  expect(() => lockEnvironment(desk, "/env", "up", "printer")).toThrow(expect.objectContaining({ code: "LOCKED" }));
  expect(() => lockEnvironment(desk, "/env", "up", "laptop")).not.toThrow();
});

test("a released lock is free, and leaves nothing behind", () => {
  const files = folder();
  lockEnvironment(testWorld({ files, alive: [4711] }), "/env", "up").release();
  expect(files.list("/env/.talosmith")).toEqual([]);
  expect(() => lockEnvironment(testWorld({ files, self: { pid: 4712 }, seed: "other" }), "/env", "up")).not.toThrow();
});

test("who lost the lock notices before changing anything", () => {
  const files = folder();
  const lock = lockEnvironment(testWorld({ files, self: { host: "laptop" } }), "/env", "up");
  lockEnvironment(testWorld({ files, self: { host: "desk" }, seed: "other" }), "/env", "up", "laptop");
  expect(() => lock.check()).toThrow(expect.objectContaining({ code: "LOCKED" }));
});

test("a lock file that makes no sense is not taken for a free lock", () => {
  const files = folder();
  files.makeFolder("/env/.talosmith", 0o700);
  files.write("/env/.talosmith/lock", Buffer.from("{"), 0o600);
  expect(() => lockEnvironment(testWorld({ files }), "/env", "up")).toThrow(expect.objectContaining({ code: "LOCKED" }));
});
