import * as fs from "node:fs";
import { join } from "node:path";
import { realFiles } from "@talosmith/lib/world/files.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { streamOf } from "../../test/support/streams.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { backupScene, RECIPIENT, SECRET_KEY } from "./testing/backup-scene.ts";
import { BUCKET_ENV, bucketInMemory } from "./testing/bucket-in-memory.ts";

let scene: ReturnType<typeof backupScene>;
beforeEach(() => {
  scene = backupScene();
  scene.furnish();
});
afterEach(() => scene.end());

const refused = (code: string, message = "") => expect.objectContaining({ code, message: expect.stringContaining(message) });
const kept = () => fs.readdirSync(scene.at("kept"));
const isLocked = () => fs.existsSync(join(scene.folder, ".talosmith/lock"));
const isTemporary = (path: string) => path.endsWith(".new");
/** Does something when the new backup is read back. */
const whenRead = (act: (path: string) => AsyncIterable<Uint8Array>): Files => ({
  ...realFiles,
  stream: (path) => (path.includes("kept") ? act(path) : realFiles.stream(path)),
});

describe("a backup that is not complete gets no name, and the folder can be locked again:", () => {
  afterEach(() => expect([kept(), isLocked(), fs.existsSync(scene.at("new.txt"))]).toEqual([[], false, false]));
  const wishes = () => ({ newKey: scene.at("new.txt") });

  test("when the disk has not kept what was written", async () => {
    const files = whenRead(async function* (path) {
      for await (const part of realFiles.stream(path)) yield Buffer.from(part).fill(0, part.length - 50);
    });
    await expect(scene.backUp(wishes(), {}, files)).rejects.toEqual(refused("AGE_DAMAGED"));
  });

  test("when it is interrupted while it is checked", async () => {
    const files = whenRead((path) => {
      scene.interrupt();
      return realFiles.stream(path);
    });
    await expect(scene.backUp(wishes(), {}, files)).rejects.toThrow("interrupted");
  });

  test("when another command took the lock over", async () => {
    const files = whenRead((path) => {
      fs.rmSync(join(scene.folder, ".talosmith/lock"), { recursive: true });
      return realFiles.stream(path);
    });
    await expect(scene.backUp(wishes(), {}, files)).rejects.toEqual(refused("LOCK_LOST"));
  });

  test("when a file changes while it is read", async () => {
    let read = 0;
    const stream: Files["stream"] = (path) =>
      path.endsWith("/all.yaml") && ++read > 1 ? streamOf("other text\n") : realFiles.stream(path);
    await expect(scene.backUp(wishes(), {}, { ...realFiles, stream })).rejects.toEqual(refused("BACKUP_CHANGED", "all.yaml"));
  });
});

test("a backup whose place returns something else is reported, and not recorded", async () => {
  const files = whenRead((path) => (isTemporary(path) ? realFiles.stream(path) : streamOf("other")));
  await expect(scene.backUp({}, {}, files)).rejects.toEqual(refused("BACKUP_DIFFERS", scene.kept()));
  expect(fs.existsSync(join(scene.folder, ".talosmith/backups.json"))).toBe(false);
});

test("a backup that cannot be sent to a bucket leaves nothing in the folder, and no connection", async () => {
  scene.end();
  const bucket = bucketInMemory();
  scene = backupScene({ inside: bucket.inside });
  scene.furnish();
  bucket.refuse();
  await expect(scene.backUp({ to: "s3://kept" }, BUCKET_ENV)).rejects.toEqual(refused("S3_REFUSED"));
  expect(fs.readdirSync(join(scene.folder, ".talosmith")).filter((name) => name.startsWith("backup"))).toEqual([]);
  await expect.poll(bucket.isClosed).toBe(true);
});

test("a backup is refused while another command works on the folder", async () => {
  const other = lockEnvironment(
    testWorld({ files: realFiles, self: { machineId: "other", bootId: "other" } }),
    scene.folder,
    "up",
  );
  await expect(scene.backUp()).rejects.toEqual(refused("LOCKED"));
  other.release();
  expect(await scene.backUp()).toBe(0);
});

test("what a killed backup left in the folder is removed by the next one", async () => {
  for (const name of ["backup-0a1b2c3d", "backup-0a1b2c3d4", "my-backup-0a1b2c3d"])
    scene.put(`lab-cluster/.talosmith/${name}`, "x");
  await scene.backUp();
  const left = fs.readdirSync(join(scene.folder, ".talosmith")).filter((name) => name.includes("backup-"));
  expect(left).toEqual(["backup-0a1b2c3d4", "my-backup-0a1b2c3d"]);
});

describe("a backup is refused when only keys in its folder open it:", () => {
  const OTHER_KEY = "AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU";
  const OTHER = "age1cy0su9fwf3gf9mw868g5yut09p6nytfmmnktexz2ya5uqg9vl9sss4euqm";
  const keyOf = (size: number) => `${SECRET_KEY}\n#`.padEnd(size, "x");

  test.each<[string, Record<string, string>, string[], string]>([
    ["one key", { "my.key": `${SECRET_KEY}\n` }, [RECIPIENT], "my.key"],
    ["a file with several keys", { "my.key": `${OTHER_KEY}\n${SECRET_KEY}\n` }, [RECIPIENT], "my.key"],
    ["all of several keys", { "a.key": SECRET_KEY, "b.key": OTHER_KEY }, [OTHER, RECIPIENT], "b.key"],
    ["a key in a file just below 64 KiB", { "a.key": keyOf(64 * 1024 - 1) }, [RECIPIENT], "a.key"],
  ])("%s", async (_, files, recipients, named) => {
    for (const [path, text] of Object.entries(files)) scene.put(`lab-cluster/${path}`, text);
    await expect(scene.backUp({ recipients })).rejects.toEqual(refused("BACKUP_OWN_KEY", `Only ${named} in this folder`));
    expect(kept()).toEqual([]);
  });

  test.each<[string, Record<string, string>, object]>([
    ["another key of several is elsewhere", { "my.key": SECRET_KEY }, { recipients: [RECIPIENT, OTHER] }],
    ["the key in the folder is another one", { "my.key": OTHER_KEY }, {}],
    ["a passphrase opens it", { "my.key": SECRET_KEY }, { recipients: [], passphrase: true }],
    ["the key is in a folder below, which is not looked at", { "keys/my.key": SECRET_KEY }, {}],
    ["the key is in a file of 64 KiB, which is no file of keys", { "a.key": keyOf(64 * 1024) }, {}],
  ])("but not when %s", async (_, files, { passphrase, ...wishes }: { passphrase?: boolean }) => {
    for (const [path, text] of Object.entries(files)) scene.put(`lab-cluster/${path}`, text);
    expect(await scene.backUp({ ...wishes, ...(passphrase && { passphraseFile: scene.at("passphrase") }) })).toBe(0);
  });
});
