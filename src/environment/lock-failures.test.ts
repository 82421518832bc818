import { expect, test } from "vitest";
import { failingFiles, systemError } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { explained } from "../lib/world/file-errors.ts";
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
    lockEnvironment(testWorld({ files: counting, alive: [4711] }), "/env", "up");
    for (let at = 1; at <= counting.operations.length; at++) {
      const files = folder();
      const failing = failingFiles(files, { at, code });
      expect(
        () => lockEnvironment(testWorld({ files: failing, alive: [4711] }), "/env", "up"),
        failing.operations.at(-1),
      ).toThrow(expect.objectContaining({ kind: "user", hint: expect.stringMatching(/\S/) }));
      expect(files.list(STATE) ?? []).toEqual([]);
      expect(() => lockEnvironment(testWorld({ files, alive: [4711] }), "/env", "down")).not.toThrow();
    }
  },
);

test("a dead command's lock that may not be moved away is an error, and no endless try", () => {
  const files = folder();
  lockEnvironment(testWorld({ files }), "/env", "up");
  const others = explained({
    ...explained(files),
    rename: () => {
      throw systemError("EPERM", "rename");
    },
  });
  expect(() => lockEnvironment(testWorld({ files: others, self: { pid: 4712 }, seed: "other" }), "/env", "up")).toThrow(
    expect.objectContaining({ code: "FILE_DENIED" }),
  );
});

test("a lock that cannot be given back does not hide how the command ended", () => {
  const files = folder();
  const stuck = explained({
    ...explained(files),
    remove: (path) => {
      if (path === `${STATE}/lock`) throw systemError("EROFS", "unlink");
      files.remove(path);
    },
  });
  const lock = lockEnvironment(testWorld({ files: stuck }), "/env", "up");
  expect(() => lock.release()).not.toThrow();
});

test("what killed commands left is taken away by the next one; what a living one is about to use stays", () => {
  const files = folder();
  files.makeFolder(STATE, 0o700);
  const holder = (pid: number) => JSON.stringify({ pid, startedAt: "1", bootId: "boot", host: "here" });
  files.write(`${STATE}/lock.dead`, Buffer.from(holder(1)), 0o600);
  files.write(`${STATE}/lock.alive`, Buffer.from(holder(2)), 0o600);
  files.write(`${STATE}/lock.elsewhere`, Buffer.from(holder(3).replace("here", "laptop")), 0o600);
  files.write(`${STATE}/lock.half`, Buffer.from('{"pid"'), 0o600);
  files.write(`${STATE}/upload-talos.raw.xz`, Buffer.from("…"), 0o600);
  files.write(`${STATE}/images.json`, Buffer.from("{}"), 0o600);
  lockEnvironment(testWorld({ files, alive: [2] }), "/env", "up").release();
  expect(files.list(STATE)).toEqual(["images.json", "lock.alive", "lock.elsewhere"]);
});

test.each(["{", "null", "{}", "\0\0\0\0", '{"host": 7}'])(
  "a lock that says %j is nobody's to take, and the way out is named",
  (text) => {
    const files = folder();
    files.makeFolder(STATE, 0o700);
    files.write(`${STATE}/lock`, Buffer.from(text), 0o600);
    expect(() => lockEnvironment(testWorld({ files }), "/env", "up")).toThrow(
      expect.objectContaining({ code: "LOCKED", hint: expect.stringContaining(`rm ${STATE}/lock`) }),
    );
  },
);
