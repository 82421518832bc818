import { describe, expect, test } from "vitest";
import { changedFiles } from "../../../test/support/changed-files.ts";
import { streamOf } from "../../../test/support/streams.ts";
import { contentsOf, isPassing } from "./contents.ts";
import { folderInMemory, keptFile, type Tree } from "./testing/folder-in-memory.ts";

const contents = (tree: Tree) => contentsOf(folderInMemory("/env", tree), "/env");
const refused = (code: string, message: string) => expect.objectContaining({ code, message: expect.stringContaining(message) });

test("the files and folders of an environment are listed with their hashes, rights and dates", async () => {
  const files = folderInMemory("/env", { "config.yaml": "ä", "patches/all.yaml": "machine: {}\n", "empty/": "" });
  files.now = 5000;
  files.write("/env/secrets.yaml", Buffer.from("secret"), 0o640);
  expect(await contentsOf(files, "/env")).toEqual({
    files: [
      keptFile("config.yaml", "ä"),
      keptFile("patches/all.yaml", "machine: {}\n"),
      keptFile("secrets.yaml", "secret", { mode: 0o640, modifiedMs: 5000 }),
    ],
    folders: [
      { path: "empty", mode: 0o700, modifiedMs: 0 },
      { path: "patches", mode: 0o700, modifiedMs: 0 },
    ],
    left: [],
  });
});

test("a folder that does not exist has no content", async () => {
  expect(await contentsOf(folderInMemory("/env", {}), "/other")).toEqual({ files: [], folders: [], left: [] });
});

test("a file of several parts is hashed as a whole", async () => {
  const files = folderInMemory("/env", { a: "one two" });
  const stream = () => streamOf("one ", "two");
  expect((await contentsOf(changedFiles(files, { stream }), "/env")).files).toEqual([keptFile("a", "one two")]);
});

describe("temporary state of this computer is left out:", () => {
  test.each([
    ".lab",
    ".talosmith/lock",
    ".talosmith/lock.was-0a",
    ".talosmith/place.json",
    ".talosmith/backups.json",
    ".talosmith/backup.json",
    ".talosmith/snapshots",
    ".talosmith/outside",
    ".talosmith/upload-1",
    ".talosmith/backup-0a1b2c3d",
    ".config.yaml.0123456789abcdef.new",
    "patches/.all.yaml.0123456789abcdef.new",
  ])("%s", async (path) => {
    expect(isPassing(path)).toBe(true);
    expect((await contents({ [path]: "x" })).files).toEqual([]);
    expect((await contents({ [`${path}/inside`]: "x" })).files).toEqual([]);
  });
});

test.each([
  "lock",
  "backup.json",
  "patches/.lab",
  "patches/.talosmith/lock.was-0a",
  ".talosmith/operation.json",
  ".talosmith/locks",
  "all.yaml.0123456789abcdef.new",
])("%s is kept", async (path) => {
  expect(isPassing(path)).toBe(false);
  expect((await contents({ [path]: "x" })).files).toEqual([keptFile(path, "x")]);
});

describe("of the runs", () => {
  const runs = (count: number, folder: string): Tree =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/2026-11-16T10-00-00.${n + 1}/events.jsonl`, "{}"]));

  test("the last twenty are kept, in the order in which they began", async () => {
    const { files, left } = await contents(runs(23, ".talosmith/runs"));
    const kept = files.map(({ path }) => Number(path.split("/")[2]?.split(".")[1]));
    expect(kept.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 4));
    expect(left).toEqual(["the 3 oldest runs"]);
  });

  test.each([19, 20])("all %i are kept", async (count) => {
    const { files, left } = await contents(runs(count, ".talosmith/runs"));
    expect([files.length, left]).toEqual([count, []]);
  });

  test("only those of the program itself are dropped", async () => {
    expect((await contents(runs(21, "runs"))).files).toHaveLength(21);
  });
});

test("what is neither a file nor a folder is named and left out", async () => {
  const files = folderInMemory("/env", { pipe: "", "config.yaml": "x" });
  const stat = (path: string) => {
    const found = files.stat(path);
    return found && path === "/env/pipe" ? { ...found, kind: "other" as const } : found;
  };
  const found = await contentsOf(changedFiles(files, { stat }), "/env");
  expect(found).toMatchObject({ files: [{ path: "config.yaml" }], left: ["pipe, which is not a regular file"] });
});

describe("a backup is refused", () => {
  test("for a link that leads nowhere", async () => {
    const files = folderInMemory("/env", { a: "x" });
    const broken = changedFiles(files, { list: () => ["a", "link"] });
    await expect(contentsOf(broken, "/env")).rejects.toEqual(refused("BACKUP_UNREADABLE", '"link"'));
  });

  test("for a name that is not valid UTF-8", async () => {
    await expect(contents({ "a\uFFFDb": "x" })).rejects.toEqual(refused("BACKUP_UNREADABLE", "not valid UTF-8"));
  });

  test("for more than sixteen folders inside each other", async () => {
    const deep = (depth: number) => contents({ [`${"d/".repeat(depth)}file`]: "x" });
    expect((await deep(16)).files).toHaveLength(1);
    await expect(deep(17)).rejects.toEqual(refused("BACKUP_TOO_LARGE", "more than 16 folders deep"));
  });

  test("for more than 2 GiB in all", async () => {
    const files = folderInMemory("/env", { a: "", b: "" });
    const sized = (last: number) =>
      changedFiles(files, {
        stat: (path) => ({ kind: "file", mode: 0o600, modifiedMs: 0, size: path.endsWith("a") ? 2 ** 30 : last }),
      });
    expect((await contentsOf(sized(2 ** 30), "/env")).files).toHaveLength(2);
    await expect(contentsOf(sized(2 ** 30 + 1), "/env")).rejects.toEqual(refused("BACKUP_TOO_LARGE", "too large"));
  });

  test("for more than 50,000 files and folders", async () => {
    const files = folderInMemory("/env", {});
    const many = (folders: number) =>
      changedFiles(files, {
        list: (path) => (path === "/env" ? ["file", ...Array.from({ length: folders }, (_, n) => `${n}`)] : []),
        stat: (path) => ({ kind: path.endsWith("file") ? "file" : "folder", mode: 0o600, modifiedMs: 0, size: 0 }),
        stream: () => streamOf(),
      });
    expect((await contentsOf(many(49_999), "/env")).folders).toHaveLength(49_999);
    await expect(contentsOf(many(50_000), "/env")).rejects.toEqual(refused("BACKUP_TOO_LARGE", "too many files"));
  });
});
