import { resolve } from "node:path";
import { internalError, userError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { changedFiles } from "../../../test/support/changed-files.ts";
import { testWorld } from "../../../test/support/test-world.ts";
import type { Environment } from "../environment.ts";
import { isOutside, referredFiles } from "./outside.ts";
import { folderInMemory, put } from "./testing/folder-in-memory.ts";

/** Opens an environment whose config reads these files. */
function referred(reads: readonly string[], outcome: () => Environment = () => named("lab")) {
  const files = folderInMemory("/home/env", { "config.yaml": "x" });
  put(files, "/home", { "base.yaml": "x", "a.yaml": "x", "env2/base.yaml": "x" });
  const seen: object[] = [];
  const open = (world: World, folder: string, _: Redactor, options: object) => {
    seen.push({ folder, options, names: world.files.list("/home/env") });
    for (const path of reads) world.files.read(path);
    return outcome();
  };
  // As the file system does.
  const resolving = changedFiles(files, { read: (path) => files.read(resolve(path)) });
  return { seen, found: () => referredFiles(open, testWorld({ files: resolving }), "/home/env", new Redactor()) };
}
const named = (name: string) => ({ config: { cluster: { name } } }) as Environment;

test("a config's files outside its folder are listed once, sorted, with absolute paths", () => {
  const reads = ["/home/env/config.yaml", "/home/env/../base.yaml", "/home/a.yaml", "/home/a.yaml", "/home/env2/base.yaml"];
  expect(referred(reads).found()).toEqual({
    name: "lab",
    outside: ["/home/a.yaml", "/home/base.yaml", "/home/env2/base.yaml"],
  });
});

test("a file that does not exist is not listed", () => {
  expect(referred(["/home/none.yaml"]).found()).toEqual({ name: "lab", outside: [] });
});

test("the config is opened without a login, and sees the folder as it is", () => {
  const { seen, found } = referred([]);
  found();
  expect(seen).toEqual([{ folder: "/home/env", options: { withoutLogin: true }, names: ["config.yaml"] }]);
});

test("of an invalid config the files that it read until then are listed, with its problem", () => {
  const { found } = referred(["/home/base.yaml"], () => {
    throw userError("CONFIG", { message: "nodes are missing", hint: "add nodes" });
  });
  expect(found()).toEqual({ problem: "nodes are missing", outside: ["/home/base.yaml"] });
});

test("a bug of the program is not taken for an invalid config", () => {
  const bug = internalError("BUG", { message: "a bug" });
  const throwing = (error: Error) => () => {
    throw error;
  };
  expect(referred([], throwing(bug)).found).toThrow(bug);
});

test.each([
  ["/env", false],
  ["/env/a", false],
  ["/env/..a", false],
  ["/env/...", false],
  ["/", true],
  ["/a", true],
  ["/env2", true],
  ["/env/../a", true],
])("%s is outside /env: %s", (path, outside) => {
  expect(isOutside("/env", path)).toBe(outside);
});
