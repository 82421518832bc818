import { expect, test } from "vitest";
import { changedFiles } from "../../../test/support/changed-files.ts";
import { removeLeftovers } from "./leftovers.ts";
import { folderInMemory, put } from "./testing/folder-in-memory.ts";

function folder() {
  const files = folderInMemory("/kept", { "old.new": "x", "old.age": "x", "old-folder.new/inside": "x" });
  files.now = 5000;
  put(files, "/kept", { "young.new": "x" });
  return files;
}

test("leftovers of killed commands are removed by their names, whatever they are and whatever their age", () => {
  const files = folder();
  removeLeftovers(files, "/kept", /\.new$/);
  expect(files.list("/kept")).toEqual(["old.age"]);
});

test("leftovers that are younger than a limit may belong to a running command and stay", () => {
  const files = folder();
  removeLeftovers(files, "/kept", /\.new$/, 5000);
  expect(files.list("/kept")).toEqual(["old.age", "young.new"]);
});

test("a leftover that vanishes meanwhile or cannot be removed prevents nothing", () => {
  const files = folder();
  const vanished = changedFiles(files, { list: () => ["gone.new", "old.new"] });
  removeLeftovers(vanished, "/kept", /\.new$/);
  expect(files.list("/kept")).not.toContain("old.new");
  const remove = () => {
    throw new Error("busy");
  };
  removeLeftovers(changedFiles(files, { remove }), "/kept", /\.new$/);
});

test("a folder that does not exist has no leftovers", () => {
  const files = folder();
  removeLeftovers(files, "/nowhere", /./);
  expect(files.list("/kept")).toHaveLength(4);
});
