import { explained } from "@talosmith/lib/world/file-errors.ts";
import { expect, test } from "vitest";
import { failingFiles, systemError } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { lockEnvironment } from "./lock.ts";

const STATE = "/env/.talosmith";

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
  const lock = lockEnvironment(testWorld({ files: stuck }), "/env", "up");
  expect(() => lock.release()).not.toThrow();
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
  const lock = () => lockEnvironment(testWorld({ files, alive: [2], seed: `${files.now}` }), "/env", "up").release();
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
    expect(() => lockEnvironment(testWorld({ files }), "/env", "up")).toThrow(
      expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining(`rm -r ${STATE}/lock`) }),
    );
  },
);

test("a file in the lock's place, such as an older talosmith's, is not taken for a free lock", () => {
  const files = folder();
  files.makeFolder(STATE, 0o700);
  files.write(`${STATE}/lock`, Buffer.from('{"host": "here"}'), 0o600);
  expect(() => lockEnvironment(testWorld({ files }), "/env", "up")).toThrow(
    expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining(`rm -r ${STATE}/lock`) }),
  );
});
