import { afterEach, expect, test } from "vitest";
import { type TestWorldOptions, testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type Lock, lockEnvironment, takeLockAway } from "./lock.ts";

const MINUTE = 60_000;
const locks: Lock[] = [];
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
});

function folder() {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  return files;
}

let seeds = 0;
/** A new process with its own randomness. */
const processOn = (files: VolatileFiles, options: TestWorldOptions = {}) =>
  testWorld({ files, self: { pid: 4712 }, seed: `${++seeds}`, ...options });

function lock(files: VolatileFiles, options: TestWorldOptions = {}, command = "up"): Lock {
  const taken = lockEnvironment(processOn(files, options), "/env", command);
  locks.push(taken);
  return taken;
}

/** A world in which it is not known whether process 4711 on "here" still runs. */
const ELSEWHERE: [string, TestWorldOptions][] = [
  ["another computer", { self: { host: "desk", bootId: "b", machineId: "m" } }],
  ["another computer of the same name", { self: { bootId: "b", machineId: "m" } }],
  ["a copy of the virtual machine under another name", { self: { host: "copy", bootId: "b" } }],
  ["a container on the same machine", { self: { pidNamespace: "pid:[4026532281]", machineId: "" } }],
  [
    "a container with the same number for another process",
    { self: { pid: 4711, startedAt: "2", pidNamespace: "pid:[4026532281]" } },
  ],
  ["a container on another computer", { self: { bootId: "b", pidNamespace: "pid:[4026532281]", machineId: "" } }],
  ["a system without /proc", { self: { bootId: "", pidNamespace: "", machineId: "" } }],
];

test("a second command is refused with an error that names the lock holder", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  expect(() => lock(files, { alive: [4711] }, "down")).toThrow(
    expect.objectContaining({
      code: "LOCKED",
      detail: expect.stringMatching(/^talosmith up, process 4711 on here, since .*; last active: 0 s ago$/),
      hint: expect.not.stringContaining("unlock"),
    }),
  );
});

test("a killed holder's lock is taken over on the same machine", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  expect(() => lock(files).check()).not.toThrow();
});

test("a pid that another process has got since does not keep the lock alive", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  expect(() => lock(files, { self: { pid: 4711, startedAt: "2" } })).not.toThrow();
});

test("a holder from before the machine's last boot is dead", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  expect(() => lock(files, { self: { pid: 1, bootId: "next" }, alive: [4711] })).not.toThrow();
});

test("on a system without /proc the host's name and the process's number decide", () => {
  const files = folder();
  const mac = { bootId: "", startedAt: "", pidNamespace: "", machineId: "", host: "mac" };
  lock(files, { self: { ...mac, pid: 4711 } });
  expect(() => lock(files, { self: { ...mac, pid: 4712 }, alive: [4711] })).toThrow(expect.objectContaining({ code: "LOCKED" }));
  expect(() => lock(files, { self: { ...mac, pid: 4712 } })).not.toThrow();
});

test.each(ELSEWHERE)("from %s the lock is refused, however long the holder was silent", (_, there) => {
  const files = folder();
  const held = lock(files, { self: { pid: 4711 } });
  files.now += 200 * MINUTE;
  expect(() => lock(files, there)).toThrow(
    expect.objectContaining({
      code: "LOCKED",
      detail: expect.stringMatching(/last active: 3 h ago$/),
      hint: expect.stringMatching(/ {2}talosmith unlock \/env$/),
    }),
  );
  expect(() => held.check()).not.toThrow();
});

test.each(ELSEWHERE)("from %s a lock is unlocked only after a minute without a sign of life", (_, there) => {
  const files = folder();
  const held = lock(files, { self: { pid: 4711 } });
  files.now += MINUTE - 1;
  expect(() => takeLockAway(processOn(files, there), "/env")).toThrow(
    expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining("wait for it to end") }),
  );
  expect(() => held.check()).not.toThrow();
  files.now += 1;
  expect(takeLockAway(processOn(files, there), "/env")).toMatch(/^talosmith up, process 4711 on here, since /);
  expect(() => held.check()).toThrow(expect.objectContaining({ code: "LOCK_LOST" }));
  expect(() => lock(files, there)).not.toThrow();
});

test("the age of a sign of life is measured by the file system's clock, not by the computers' clocks", () => {
  const files = folder();
  files.now = 1_000_000_000;
  const late = (options: TestWorldOptions, byMs: number) => {
    const world = processOn(files, options);
    return { ...world, clock: { ...world.clock, now: () => world.clock.now() + byMs } };
  };
  locks.push(lockEnvironment(late({ self: { pid: 4711 } }, -300 * MINUTE), "/env", "up"));
  files.now += 30_000;
  const desk = late({ self: { host: "desk", bootId: "b", machineId: "m" } }, 9_000 * MINUTE);
  expect(() => takeLockAway(desk, "/env")).toThrow(expect.objectContaining({ detail: expect.stringMatching(/: 30 s ago$/) }));
});

test("a file system whose clock was set back does not lock for ever", () => {
  const files = folder();
  files.now = 100 * MINUTE;
  lock(files, { self: { pid: 4711 } });
  files.now = 0;
  const desk = { self: { host: "desk", bootId: "b", machineId: "m" } };
  expect(() => lock(files, desk)).toThrow(expect.objectContaining({ detail: expect.stringContaining("dated in the future") }));
  expect(takeLockAway(processOn(files, desk), "/env")).toBeDefined();
});

test("a command that is known to live is not unlocked, however silent", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  files.now += 90 * MINUTE;
  expect(() => takeLockAway(processOn(files, { alive: [4711] }), "/env")).toThrow(expect.objectContaining({ code: "LOCKED" }));
});

test("a folder that is not locked stays as it is when it is unlocked", () => {
  const files = folder();
  expect(takeLockAway(processOn(files), "/env")).toBeUndefined();
  expect(files.list("/env")).toEqual([]);
});

test("a released lock is free, and what it leaves is gone an hour later", () => {
  const files = folder();
  lock(files).release();
  expect(files.list("/env/.talosmith")).toEqual([expect.stringMatching(/^lock\.was-/)]);
  files.now += 61 * MINUTE;
  const next = lock(files, { self: { pid: 4713 } });
  expect(files.list("/env/.talosmith")).toEqual(["lock"]);
  next.release();
});

test("a command that lost its lock says so before its next change, names the new holder, and does not give back what is not its own", () => {
  const files = folder();
  const first = lock(files, { self: { pid: 4711 } });
  const second = lock(files, {}, "down");
  expect(() => first.check()).toThrow(
    expect.objectContaining({ code: "LOCK_LOST", detail: expect.stringContaining("talosmith down, process 4712 on here") }),
  );
  first.release();
  expect(() => second.check()).not.toThrow();
});

test("a command that lost its lock long ago takes nothing from the next holder, although no trace of the takeover is left", () => {
  const files = folder();
  const first = lock(files, { self: { pid: 4711 } });
  const second = lock(files);
  for (const name of files.list("/env/.talosmith") ?? [])
    if (name.startsWith("lock.was-")) files.remove(`/env/.talosmith/${name}`);
  first.release();
  expect(() => second.check()).not.toThrow();
});

test("a lock and the state folder are private and survive a power failure", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  const after = files.afterCrash();
  expect(() => lock(after, { alive: [4711] })).toThrow(
    expect.objectContaining({ code: "LOCKED", detail: expect.stringContaining("talosmith up, process 4711 on here") }),
  );
  const [record] = files.list("/env/.talosmith/lock") ?? [];
  expect(files.stat("/env/.talosmith")?.mode).toBe(0o700);
  expect(files.stat("/env/.talosmith/lock")?.mode).toBe(0o700);
  expect(files.stat(`/env/.talosmith/lock/${record}`)?.mode).toBe(0o600);
});

test("a refused command leaves nothing behind", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  const before = files.paths();
  expect(() => lock(files, { alive: [4711] })).toThrow(expect.objectContaining({ code: "LOCKED" }));
  expect(() => takeLockAway(processOn(files, { alive: [4711] }), "/env")).toThrow(expect.objectContaining({ code: "LOCKED" }));
  expect(files.paths()).toEqual(before);
});

test("a killed holder's lock is unlocked at once", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  expect(takeLockAway(processOn(files), "/env")).toMatch(/^talosmith up, process 4711 on here, since /);
  expect(files.list("/env/.talosmith")).toEqual([expect.stringMatching(/^lock\.was-/)]);
});

test("a lock that is taken over loses its record, so that its holder notices even behind a file server's cache", () => {
  const files = folder();
  lock(files, { self: { pid: 4711 } });
  lock(files);
  const [former] = (files.list("/env/.talosmith") ?? []).filter((name) => name.startsWith("lock.was-"));
  expect(files.list(`/env/.talosmith/${former}`)).toEqual(["taken-over"]);
});

test("an empty lock folder is free, and there is nothing to unlock", () => {
  const files = folder();
  files.makeFolder("/env/.talosmith/lock", 0o700);
  expect(takeLockAway(processOn(files), "/env")).toBeUndefined();
  expect(files.list("/env/.talosmith")).toEqual(["lock"]);
  expect(() => lock(files).check()).not.toThrow();
});

test("a damaged lock is not unlocked, and the error has a solution", () => {
  const files = folder();
  files.makeFolder("/env/.talosmith/lock", 0o700);
  files.write("/env/.talosmith/lock/0000000000000001.json", Buffer.from("{"), 0o600);
  expect(() => takeLockAway(processOn(files), "/env")).toThrow(
    expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining("rm -r /env/.talosmith/lock") }),
  );
  expect(files.list("/env/.talosmith")).toEqual(["lock"]);
});

test.each([
  ["has no holder", () => {}],
  [
    "is damaged",
    (files: VolatileFiles) => {
      files.makeFolder("/env/.talosmith/lock", 0o700);
      files.write("/env/.talosmith/lock/0000000000000001.json", Buffer.from("{"), 0o600);
    },
  ],
])("a lock that was lost and %s by now is reported without a new holder", (_, after) => {
  const files = folder();
  const held = lock(files);
  files.remove("/env/.talosmith/lock");
  after(files);
  expect(() => held.check()).toThrow(expect.objectContaining({ code: "LOCK_LOST", detail: undefined }));
});
