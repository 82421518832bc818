import { resolve } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { changedFiles } from "../../test/support/changed-files.ts";
import { bytesOf } from "../../test/support/streams.ts";
import { testWorld } from "../../test/support/test-world.ts";
import type { VolatileFiles } from "../../test/support/volatile-files.ts";
import { folderInMemory, put } from "../environment/backup/testing/folder-in-memory.ts";
import { keptAt, listPlace, placeFor, type ToKeep } from "./backup-places.ts";
import { BUCKET_ENV, bucketInMemory } from "./testing/bucket-in-memory.ts";

const NAME = "env-lab-20261116T000000Z.tar.gz.age";
const NOW = Date.UTC(2026, 10, 16);

let files: VolatileFiles;
let bucket: ReturnType<typeof bucketInMemory>;
beforeEach(() => {
  files = folderInMemory("/home/env", { "config.yaml": "x" });
  files.now = NOW;
  files.makeFolder("/home/kept", 0o700);
  bucket = bucketInMemory();
});

function around() {
  // As the file system does.
  const resolving = changedFiles(files, { stat: (path) => files.stat(resolve(path)), list: (path) => files.list(resolve(path)) });
  const world = testWorld({ files: resolving, env: BUCKET_ENV });
  const clock = { ...world.clock, now: () => NOW };
  return { world: bucket.inside({ ...world, clock }), redactor: new Redactor(), signal: new AbortController().signal };
}
const place = (to?: string) => placeFor(around(), "/home/env", NAME, to, {});
const refused = (code: string, message = "") => expect.objectContaining({ code, message: expect.stringContaining(message) });
const textIn = async (one: Pick<ToKeep, "read">) => (await bytesOf(await one.read())).toString();
const SEALED = { size: 4, sha256: "ab", md5: "cd==" };

describe("a new backup is written", () => {
  test.each([
    ["to a file", "/home/kept/mine.age", "/home/kept/mine.age"],
    ["into a folder", "/home/kept", `/home/kept/${NAME}`],
    ["into a folder with a slash", "/home/kept/", `/home/kept/${NAME}`],
    ["beside the folder", "/home/env2.age", "/home/env2.age"],
  ])("%s", async (_, to, shown) => {
    expect(place(to).shown).toBe(shown);
  });

  test("into the current folder when no place is given", () => {
    files.makeFolder(process.cwd(), 0o700);
    const { shown, temporary } = place();
    expect([shown, resolve(temporary, "..")]).toEqual([NAME, process.cwd()]);
  });

  test.each([
    ["inside the folder", "/home/env/a.age", "BACKUP_INSIDE"],
    ["in the folder itself", "/home/env", "BACKUP_INSIDE"],
    ["in a folder that does not exist", "/home/none/a.age", "NO_FOLDER"],
    ["in a folder that does not exist, with a slash", "/home/none/", "NO_FOLDER"],
    ["below a file", "/home/kept/there.age/a.age", "NO_FOLDER"],
    ["over another file", "/home/kept/there.age", "BACKUP_EXISTS"],
  ])("but not %s", (_, to, code) => {
    put(files, "/home/kept", { "there.age": "other" });
    expect(() => place(to)).toThrow(refused(code));
    expect(files.read("/home/kept/there.age")).toEqual(Buffer.from("other"));
  });
});

describe("a backup in a folder", () => {
  test("has another name until it is complete, and is read there", async () => {
    const one = place("/home/kept/mine.age");
    expect(one.temporary).toMatch(/^\/home\/kept\/\.mine\.age\.[0-9a-f]{16}\.new$/);
    files.create(one.temporary, Buffer.from("text"), 0o600);
    expect(await textIn(one)).toBe("text");
    await one.keep(SEALED);
    expect(files.list("/home/kept")).toEqual(["mine.age"]);
    expect(await textIn(one)).toBe("text");
    one.close();
  });

  test("keeps its name after a power cut", async () => {
    const one = place("/home/kept/mine.age");
    files.create(one.temporary, Buffer.from("text"), 0o600);
    files.sync(one.temporary);
    for (const folder of ["/", "/home"]) files.syncFolder(folder);
    await one.keep(SEALED);
    expect(files.afterCrash().read("/home/kept/mine.age")).toEqual(Buffer.from("text"));
  });

  test("never replaces a file that was created meanwhile", async () => {
    const one = place("/home/kept/mine.age");
    files.create(one.temporary, Buffer.from("text"), 0o600);
    put(files, "/home/kept", { "mine.age": "other" });
    await expect(one.keep(SEALED)).rejects.toEqual(refused("BACKUP_EXISTS"));
    expect(files.read("/home/kept/mine.age")).toEqual(Buffer.from("other"));
  });

  test("removes what killed backups left there an hour ago or earlier, and nothing else", () => {
    const left = (name: string) => `.${name}.0123456789abcdef.new`;
    const mine = "env-lab-20261115T000000Z.tar.gz.age";
    files.now = NOW - 3_600_001;
    put(files, "/home/kept", { [left(mine)]: "", [left("other.tar.gz.age")]: "", [left("env-a.txt")]: "", [mine]: "" });
    files.now = NOW - 3_600_000;
    put(files, "/home/kept", { [left("env-young.tar.gz.age")]: "" });
    place("/home/kept/");
    expect(files.list("/home/kept")).toEqual(
      [left("env-a.txt"), left("env-young.tar.gz.age"), left("other.tar.gz.age"), mine].sort(),
    );
  });
});

describe("a backup in a bucket", () => {
  test.each([
    ["s3://kept", `s3://kept/${NAME}`],
    ["s3://kept/", `s3://kept/${NAME}`],
    ["s3://kept/some/prefix", `s3://kept/some/prefix/${NAME}`],
    ["s3://kept/some/prefix//", `s3://kept/some/prefix/${NAME}`],
    ["S3://kept/a.age", `s3://kept/a.age/${NAME}`],
    ["s3://kept/a/mine.tar.gz.age", "s3://kept/a/mine.tar.gz.age"],
  ])("has a name below %s", (to, shown) => {
    expect(place(to).shown).toBe(shown);
  });

  test("is written to the environment first, then stored and read back from the bucket", async () => {
    const one = place("s3://kept/a/");
    expect(one.temporary).toMatch(/^\/home\/env\/\.talosmith\/backup-[0-9a-f]{8}$/);
    put(files, "/", { [one.temporary]: "text" });
    expect([await textIn(one), bucket.requests()]).toEqual(["text", 0]);
    await one.keep(SEALED);
    expect(Object.fromEntries(bucket.objects)).toEqual({ [`kept/a/${NAME}`]: { body: Buffer.from("text") } });
    bucket.objects.set(`kept/a/${NAME}`, { body: Buffer.from("changed there") });
    expect(await textIn(one)).toBe("changed there");
    expect(bucket.isClosed()).toBe(false);
    one.close();
    await expect.poll(bucket.isClosed).toBe(true);
  });
});

describe("an existing backup", () => {
  test("is read from its file", async () => {
    put(files, "/home/kept", { "a.age": "text" });
    const one = keptAt(around(), "/home/kept/a.age", {});
    expect([one.shown, await textIn(one)]).toEqual(["/home/kept/a.age", "text"]);
    one.close();
  });

  test("is read from its bucket", async () => {
    bucket.objects.set("kept/some/a.age", { body: Buffer.from("text") });
    const one = keptAt(around(), "s3://kept/some/a.age", {});
    expect([one.shown, await textIn(one)]).toEqual(["s3://kept/some/a.age", "text"]);
    one.close();
    await expect.poll(bucket.isClosed).toBe(true);
  });

  test.each(["/home/none.age", "/home/kept"])("is refused when there is no file %s", (from) => {
    expect(() => keptAt(around(), from, {})).toThrow(refused("FILE_MISSING", from));
  });
});

describe("backups are listed newest first, by name where the time is the same", () => {
  const sorted = ["new.age", "b.age", "a.age"];

  test("in a folder", async () => {
    files.now = 5000;
    put(files, "/home/kept", { "a.age": "12", "c.txt": "x" });
    put(files, "/home/kept", { "b.age": "1" });
    files.now = 6000;
    put(files, "/home/kept", { "new.age": "123" });
    const found = await listPlace(around(), "/home/kept", {});
    expect(found.map(({ shown, modifiedMs, size }) => [shown, modifiedMs, size])).toEqual([
      ["/home/kept/new.age", 6000, 3],
      ["/home/kept/b.age", 5000, 1],
      ["/home/kept/a.age", 5000, 2],
    ]);
  });

  test("in a folder, last those that cannot be looked at", async () => {
    put(files, "/home/kept", { "a.age": "12" });
    const { world, ...rest } = around();
    const list = () => ["a.age", "gone.age"];
    const found = await listPlace({ world: { ...world, files: changedFiles(world.files, { list }) }, ...rest }, "/home/kept", {});
    expect(found.slice(1)).toEqual([{ shown: "/home/kept/gone.age", modifiedMs: 0, size: 0 }]);
  });

  test("in a bucket, whose connection is closed afterwards", async () => {
    const modified = "2026-11-16T00:00:01.000Z";
    for (const name of ["a.age", "b.age", "c.txt"]) bucket.objects.set(`kept/x/${name}`, { body: Buffer.from("12") });
    bucket.objects.set("kept/x/new.age", { body: Buffer.from("123"), modified });
    bucket.objects.set("kept/y/d.age", { body: Buffer.from("12") });
    const found = await listPlace(around(), "s3://kept/x", {});
    expect(found.map(({ shown }) => shown)).toEqual(sorted.map((name) => `s3://kept/x/${name}`));
    expect(found[0]).toMatchObject({ modifiedMs: Date.parse(modified), size: 3 });
    await expect.poll(bucket.isClosed).toBe(true);
  });

  test("but not in a folder that does not exist", async () => {
    await expect(listPlace(around(), "/home/none", {})).rejects.toEqual(refused("NO_FOLDER"));
  });
});
