import { explained } from "@talosmith/lib/world/file-errors.ts";
import { afterEach, expect, test } from "vitest";
import { failingFiles, systemError } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type Lock, lockEnvironment, takeLockAway } from "./lock.ts";

const STATE = "/env/.talosmith";
const locks: Lock[] = [];
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
});

/** A lock that is released after the test. */
function locked(...[world, folder, command]: Parameters<typeof lockEnvironment>): Lock {
  const lock = lockEnvironment(world, folder, command);
  locks.push(lock);
  return lock;
}

function folder(): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  return files;
}

test.each(["ENOSPC", "EROFS", "EIO"])(
  "%s at any operation of locking: an error, nothing is left, and the next one gets it",
  (code) => {
    const counting = failingFiles(folder(), { at: 0, code });
    lockEnvironment(testWorld({ files: counting, alive: [4711] }), "/env", "up").release();
    expect(counting.operations.at(-1)).toMatch(/^claim .*lock\.was-/);
    for (let at = 1; at < counting.operations.length; at++) {
      const files = folder();
      const failing = failingFiles(files, { at, code });
      expect(
        () => lockEnvironment(testWorld({ files: failing, alive: [4711] }), "/env", "up"),
        failing.operations.at(-1),
      ).toThrow(expect.objectContaining({ kind: "user", hint: expect.stringMatching(/\S/) }));
      expect((files.list(STATE) ?? []).filter((name) => !name.startsWith("lock.was-"))).toEqual([]);
      expect(() => lockEnvironment(testWorld({ files, alive: [4711], seed: "next" }), "/env", "down").release()).not.toThrow();
    }
  },
);

test("a dead command's lock that may not be moved away is an error, and no endless try", () => {
  const files = folder();
  const held = lockEnvironment(testWorld({ files }), "/env", "up");
  const others = explained({
    ...explained(files),
    claim: (from, to) => {
      if (to.includes("lock.was-")) throw systemError("EPERM", "rename");
      return files.claim(from, to);
    },
  });
  expect(() => lockEnvironment(testWorld({ files: others, self: { pid: 4712 }, seed: "other" }), "/env", "up")).toThrow(
    expect.objectContaining({ code: "FILE_DENIED" }),
  );
  held.release();
});

test("a lock that cannot be given back does not hide how the command ended", () => {
  const files = folder();
  const stuck = explained({
    ...explained(files),
    claim: (from, to) => {
      if (from === `${STATE}/lock`) throw systemError("EROFS", "rename");
      return files.claim(from, to);
    },
  });
  const lock = locked(testWorld({ files: stuck }), "/env", "up");
  expect(() => lock.release()).not.toThrow();
  // Without its record the lock is empty, and so free for a command that still runs beside this one.
  expect(() => locked(testWorld({ files, alive: [4711], self: { pid: 4712 } }), "/env", "up").release()).not.toThrow();
});

test("a released lock is taken out of the way in one operation, and its record stays in the former folder", () => {
  const files = folder();
  locked(testWorld({ files }), "/env", "up").release();
  const [former] = files.list(STATE) ?? [];
  expect(former).toMatch(/^lock\.was-/);
  expect(files.list(`${STATE}/${former}`)).toEqual([`${former?.slice("lock.was-".length)}.json`]);
});

/** Files in which `claim` is replaced; errors are explained as those of real files are. */
function claiming(files: VolatileFiles, claim: (from: string, to: string) => boolean) {
  return explained({ ...explained(files), claim });
}

test("a lock is held when only the response of the file server was lost", () => {
  const files = folder();
  const answerLost = claiming(files, (from, to) => {
    files.claim(from, to);
    if (to === `${STATE}/lock`) throw systemError("ENOENT", "rename");
    return true;
  });
  const lock = locked(testWorld({ files: answerLost }), "/env", "up");
  expect(() => lock.check()).not.toThrow();
  lock.release();
});

test("a lock that is released between two looks is tried again", () => {
  const files = folder();
  const first = locked(testWorld({ files, seed: "first" }), "/env", "up");
  let tries = 0;
  const racing = claiming(files, (from, to) => {
    if (++tries > 1) return files.claim(from, to);
    first.release();
    return false;
  });
  expect(() => locked(testWorld({ files: racing, alive: [4711] }), "/env", "down").check()).not.toThrow();
});

test("a dead command's lock that another process moves away first is not an error", () => {
  const files = folder();
  const held = locked(testWorld({ files }), "/env", "up");
  const dead = files.afterKill();
  held.release();
  const racing = claiming(dead, (from, to) => {
    if (!to.includes("lock.was-")) return dead.claim(from, to);
    dead.remove(from);
    throw systemError("ENOENT", "rename");
  });
  const world = testWorld({ files: racing, self: { pid: 4712 }, seed: "other" });
  expect(takeLockAway(world, "/env")).toBeUndefined();
  expect(() => locked(world, "/env", "down").check()).not.toThrow();
});

test("a dead command's lock that another process has taken over by now is not reported as unlocked", () => {
  const files = folder();
  locked(testWorld({ files }), "/env", "up");
  const racing = claiming(files, () => false);
  expect(takeLockAway(testWorld({ files: racing, self: { pid: 4712 } }), "/env")).toBeUndefined();
});

test("after twenty tries a lock that always changes hands is an error, and nothing is left", () => {
  const files = folder();
  let tries = 0;
  const busy = claiming(files, () => {
    tries++;
    return false;
  });
  expect(() => locked(testWorld({ files: busy }), "/env", "up")).toThrow(
    expect.objectContaining({ code: "LOCKED", message: "Unable to lock /env" }),
  );
  expect(tries).toBe(20);
  expect(files.list(STATE)).toEqual([]);
});

test("an error while the lock is prepared names the lock, not the temporary folder", () => {
  const failing = failingFiles(folder(), { at: 1, code: "ENOSPC", only: /\.json$/ });
  expect(() => locked(testWorld({ files: failing }), "/env", "up")).toThrow(`Unable to write ${STATE}/lock: the disk is full`);
});

const SECRET = ".secrets.yaml.00000000000000aa.new";

test("the next command removes leftovers of killed ones and keeps files that a running one may use", () => {
  const files = folder();
  files.makeFolder(STATE, 0o700);
  const prepared = (nonce: string, self: object) => {
    files.makeFolder(`${STATE}/lock.${nonce}`, 0o700);
    const holder = { ...testWorld().processes.self(), ...self, nonce };
    files.write(`${STATE}/lock.${nonce}/${nonce}.json`, Buffer.from(JSON.stringify(holder)), 0o600);
  };
  const write = (path: string) => files.write(path, Buffer.from("…"), 0o600);
  prepared("000000000000000d", { pid: 1 });
  prepared("000000000000000a", { pid: 2 });
  prepared("000000000000000e", { pid: 3, bootId: "b", machineId: "m" });
  for (const path of [`/env/${SECRET}`, "/env/.notes.new", "/env/.mine.0000.new", `${STATE}/upload-talos.raw.xz`]) write(path);
  write(`${STATE}/images.json`);
  files.now = 61_000;
  write("/env/.kubeconfig.00000000000000bb.new");
  const lock = () => locked(testWorld({ files, alive: [2], seed: `${files.now}` }), "/env", "up").release();
  const left = () => files.list(STATE)?.filter((name) => !name.startsWith("lock.was-"));
  lock();
  expect(left()).toEqual(["images.json", "lock.000000000000000a", "lock.000000000000000e"]);
  expect(files.list("/env")).toEqual([".kubeconfig.00000000000000bb.new", ".mine.0000.new", ".notes.new", ".talosmith"]);
  files.now += 3_600_000;
  lock();
  expect(left()).toEqual(["images.json"]);
  expect(files.list("/env")).toEqual([".mine.0000.new", ".notes.new", ".talosmith"]);
});

test.each(["{", "null", "{}", "\0\0\0\0", '{"host": 7}'])(
  "a lock with the content %j is not taken over, and the error has a solution",
  (text) => {
    const files = folder();
    files.makeFolder(STATE, 0o700);
    files.makeFolder(`${STATE}/lock`, 0o700);
    files.write(`${STATE}/lock/0000000000000001.json`, Buffer.from(text), 0o600);
    expect(() => locked(testWorld({ files }), "/env", "up")).toThrow(
      expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining(`rm -r ${STATE}/lock`) }),
    );
  },
);

test("a file in the lock's place, such as an older talosmith's, is not taken for a free lock", () => {
  const files = folder();
  files.makeFolder(STATE, 0o700);
  files.write(`${STATE}/lock`, Buffer.from('{"host": "here"}'), 0o600);
  expect(() => locked(testWorld({ files }), "/env", "up")).toThrow(
    expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining(`rm -r ${STATE}/lock`) }),
  );
});
