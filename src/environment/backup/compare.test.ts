import { describe, expect, test } from "vitest";
import { compareWith } from "./compare.ts";
import type { KeptFile } from "./contents.ts";
import { folderInMemory, keptFile, put, type Tree } from "./testing/folder-in-memory.ts";

const BACKUP = [
  keptFile("config.yaml", "config"),
  keptFile("secrets.yaml", "secrets"),
  keptFile(".talosmith/runs/1/events.jsonl", "{}"),
];
const SAME = Object.fromEntries([
  ["config.yaml", "config"],
  ["secrets.yaml", "secrets"],
  [".talosmith/runs/1/events.jsonl", "{}"],
]);

/** The difference between a folder and a backup of time 1000. `late`: files that were written after it. */
function difference(
  tree: Tree,
  { late = {}, backup = BACKUP, now = 1001 }: { late?: Tree; backup?: KeptFile[]; now?: number } = {},
) {
  const files = folderInMemory("/env", tree);
  files.now = now;
  put(files, "/env", late);
  return compareWith(files, "/env", { files: backup, atMs: 1000 });
}
const without = (path: string) => Object.fromEntries(Object.entries(SAME).filter(([one]) => one !== path));

test("nothing can be compared with a folder that does not exist or has no files", async () => {
  const files = folderInMemory("/env", { "empty/": "" });
  expect(await compareWith(files, "/env", { files: BACKUP, atMs: 0 })).toBeUndefined();
  expect(await compareWith(files, "/other", { files: BACKUP, atMs: 0 })).toBeUndefined();
});

const NONE = { same: true, otherSecrets: false, newer: [], differing: [] };

describe("a folder is the same", () => {
  test("as a backup with the same files, whenever they were written", async () => {
    expect(await difference(SAME)).toEqual(NONE);
    expect(await difference({}, { late: SAME })).toEqual(NONE);
  });

  test("when only files from outside are missing", async () => {
    const backup = [...BACKUP, keptFile(".talosmith/outside/1-base.yaml", "base")];
    expect(await difference(SAME, { backup })).toEqual(NONE);
  });

  test("when it has other runs from before the backup", async () => {
    expect(await difference({ ...SAME, ".talosmith/runs/0/events.jsonl": "{}" })).toEqual(NONE);
    expect(await difference(SAME, { late: { ".talosmith/runs/0/events.jsonl": "{}" }, now: 1000 })).toEqual(NONE);
  });
});

describe("a folder differs", () => {
  test("by a changed file, newer or not", async () => {
    const changed = { ...NONE, same: false, differing: ["config.yaml"] };
    expect(await difference({ ...SAME, "config.yaml": "other" })).toEqual(changed);
    expect(await difference(SAME, { late: { "config.yaml": "other" } })).toEqual({ ...changed, newer: ["config.yaml"] });
  });

  test("by a file that the backup does not have", async () => {
    expect(await difference({ ...SAME, extra: "x" })).toEqual({ ...NONE, same: false, differing: ["extra"] });
  });

  test("by a file that it does not have", async () => {
    expect(await difference(without("config.yaml"))).toEqual({ ...NONE, same: false });
    expect(await difference(without("secrets.yaml"))).toEqual({ ...NONE, same: false });
  });

  test("by a run after the backup", async () => {
    const run = ".talosmith/runs/2/events.jsonl";
    expect(await difference(SAME, { late: { [run]: "{}" } })).toEqual({ ...NONE, same: false, newer: [run], differing: [run] });
  });

  test("by a file of another folder with a similar name", async () => {
    const other = ".talosmith-old/events.jsonl";
    expect(await difference({ ...SAME, [other]: "{}" })).toEqual({ ...NONE, same: false, differing: [other] });
  });
});

test("only a file that was changed after the moment of the backup is newer", async () => {
  const at = async (now: number) => (await difference(SAME, { late: { "config.yaml": "other" }, now }))?.newer;
  expect([await at(1000), await at(1001)]).toEqual([[], ["config.yaml"]]);
});

describe("a folder has other secrets", () => {
  test.each<[string, Tree, KeptFile[], boolean]>([
    ["when its secrets.yaml is another one", { ...SAME, "secrets.yaml": "other" }, BACKUP, true],
    ["when only it has a secrets.yaml", SAME, BACKUP.slice(0, 1), true],
    ["not when only the backup has a secrets.yaml", without("secrets.yaml"), BACKUP, false],
    ["not when another file of that name differs", { ...SAME, "old/secrets.yaml": "other" }, BACKUP, false],
  ])("%s", async (_, tree, backup, other) => {
    expect((await difference(tree, { backup }))?.otherSecrets).toBe(other);
  });
});
