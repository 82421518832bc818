import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realFiles } from "@talosmith/lib/world/files.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFolder } from "./replace.ts";

let home: string;
beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "talosmith-replace-"));
  put({ "fresh/config.yaml": "new" });
});
afterEach(() => fs.rmSync(home, { recursive: true }));

function put(tree: Record<string, string>): void {
  for (const [path, text] of Object.entries(tree)) {
    fs.mkdirSync(join(home, path, ".."), { recursive: true });
    fs.writeFileSync(join(home, path), text);
  }
}
const tree = () =>
  (fs.readdirSync(home, { recursive: true, encoding: "utf8" }) as string[])
    .filter((path) => fs.statSync(join(home, path)).isFile())
    .map((path) => `${path}=${fs.readFileSync(join(home, path), "utf8")}`)
    .sort();
const replace = (files: Files = realFiles) => replaceFolder(files, join(home, "fresh"), join(home, "env"), join(home, "aside"));

test("a folder is replaced, and the old one is kept beside it", () => {
  put({ "env/config.yaml": "old", "env/patches/all.yaml": "old" });
  expect(replace()).toBe(true);
  expect(tree()).toEqual(["aside/config.yaml=old", "aside/patches/all.yaml=old", "env/config.yaml=new"]);
});

test("a folder that does not exist is created, and nothing is kept", () => {
  expect(replace()).toBe(false);
  expect(tree()).toEqual(["env/config.yaml=new"]);
});

test("a folder that has the other name already is left untouched when there is nothing to keep", () => {
  put({ "aside/.lab/state": "other", "aside/.talosmith/lock": "other" });
  expect(replace()).toBe(false);
  expect(tree()).toEqual(["aside/.lab/state=other", "aside/.talosmith/lock=other", "env/config.yaml=new"]);
});

test("a running lab stays in its folder, and the lock of this command goes", () => {
  put({ "env/config.yaml": "old", "env/.lab/state": "lab", "env/.talosmith/lock": "own", "env/.talosmith/place.json": "{}" });
  expect(replace()).toBe(true);
  expect(tree()).toEqual([
    "aside/.talosmith/place.json={}",
    "aside/config.yaml=old",
    "env/.lab/state=lab",
    "env/config.yaml=new",
  ]);
});

test("an old folder without any file is not kept", () => {
  put({ "env/.talosmith/lock": "own" });
  fs.mkdirSync(join(home, "env/empty/inside"), { recursive: true });
  expect(replace()).toBe(false);
  expect(fs.readdirSync(home)).toEqual(["env"]);
});

test("an old folder with one file deep inside is kept", () => {
  put({ "env/a/b/c": "old" });
  fs.mkdirSync(join(home, "env/empty"));
  expect(replace()).toBe(true);
  expect(tree()).toEqual(["aside/a/b/c=old", "env/config.yaml=new"]);
});

test("the new names are on the disk before anything else is done", () => {
  put({ "env/config.yaml": "old", "env/.talosmith/lock": "own" });
  const done: string[] = [];
  replace({
    ...realFiles,
    rename: (from, to) => {
      done.push(`rename ${from.slice(home.length)} ${to.slice(home.length)}`);
      realFiles.rename(from, to);
    },
    syncFolder: (path) => void done.push(`sync ${path.slice(home.length)}`),
    remove: (path) => void done.push(`remove ${path.slice(home.length)}`),
  });
  expect(done).toEqual(["rename /env /aside", "rename /fresh /env", "sync ", "remove /aside/.talosmith/lock"]);
});

test.each([
  ["the old folder gets its name back", { "env/config.yaml": "old" }, ["env/config.yaml=old", "fresh/config.yaml=new"]],
  ["nothing is changed where there was none", {}, ["fresh/config.yaml=new"]],
])("when the new folder cannot be put in place, %s", (_, before, after) => {
  put(before);
  const rename: Files["rename"] = (from, to) => {
    if (from.endsWith("/fresh")) throw new Error("no space left");
    realFiles.rename(from, to);
  };
  expect(() => replace({ ...realFiles, rename })).toThrow("no space left");
  expect(tree()).toEqual(after);
});
