import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { makeFolderDurably, removeQuietly, TEMPORARY_NAME, temporaryName, writeAllDurably, writeDurably } from "./durable.ts";
import type { Files } from "./world/world.ts";

function folderWith(...names: string[]): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  for (const name of names) {
    files.write(`/env/${name}`, Buffer.from("old content"), 0o600);
    files.sync(`/env/${name}`);
  }
  files.syncFolder("/env");
  return files;
}

const text = (files: Files, path: string) => Buffer.from(files.read(path) ?? []).toString("utf8");

test.each(["ENOSPC", "EROFS", "EIO", "EDQUOT", "EMFILE"])(
  "a write that fails with %s keeps the old content complete, leaves no other file, and reports the error",
  (code) => {
    for (const lasting of [true, false])
      for (let at = 1; at <= 4; at++) {
        const files = folderWith("secrets.yaml");
        const failing = failingFiles(files, { at, code, lasting });
        const write = () => writeDurably(failing, "/env/secrets.yaml", "new content");
        expect(write).toThrow(expect.objectContaining({ kind: "user", message: expect.stringContaining("/env/secrets.yaml: ") }));
        expect(failing.operations).toHaveLength(at);
        const renamed = at === 4;
        expect(text(files, "/env/secrets.yaml")).toBe(renamed ? "new content" : "old content");
        expect(["old content", "new content"]).toContain(text(files.afterCrash(), "/env/secrets.yaml"));
        if (code !== "EROFS") expect(files.list("/env")).toEqual(["secrets.yaml"]);
      }
  },
);

test("when one of several files fails, each is either old or new, and no other file is left", () => {
  const contents = new Map(["a", "b", "c"].map((name) => [name, "new content"]));
  for (let at = 1; at <= 10; at++) {
    const files = folderWith("a", "b");
    expect(() => writeAllDurably(failingFiles(files, { at, code: "ENOSPC", lasting: true }), "/env", contents)).toThrow(
      expect.objectContaining({ code: "DISK_FULL" }),
    );
    for (const name of ["a", "b"]) expect(["old content", "new content"]).toContain(text(files, `/env/${name}`));
    expect(files.list("/env")?.filter((name) => name.startsWith("."))).toEqual([]);
  }
});

test.each([
  ["text", "new content"],
  ["bytes", Buffer.from("new content")],
])("a file written from %s survives a power failure", (_, data) => {
  const files = folderWith("secrets.yaml");
  writeDurably(files, "/env/secrets.yaml", data);
  expect(text(files.afterCrash(), "/env/secrets.yaml")).toBe("new content");
});

test("several files written together survive a power failure", () => {
  const files = folderWith("a");
  const contents = { a: "new content", b: "", c: "more" };
  writeAllDurably(files, "/env", new Map(Object.entries(contents)));
  const after = files.afterCrash();
  expect(after.list("/env")).toEqual(["a", "b", "c"]);
  expect(Object.entries(contents).map(([name]) => text(after, `/env/${name}`))).toEqual(Object.values(contents));
});

test("a file is readable by its owner only unless another mode is given", () => {
  const files = folderWith();
  writeDurably(files, "/env/private", "");
  writeDurably(files, "/env/public", "", 0o644);
  writeAllDurably(files, "/env", new Map([["privates", ""]]));
  writeAllDurably(files, "/env", new Map([["publics", ""]]), 0o644);
  const modes = ["private", "public", "privates", "publics"].map((name) => files.stat(`/env/${name}`)?.mode);
  expect(modes).toEqual([0o600, 0o644, 0o600, 0o644]);
});

test("the error of several files names the file that failed", () => {
  const contents = new Map(["a", "b"].map((name) => [name, "new content"]));
  const failing = failingFiles(folderWith(), { at: 1, code: "ENOSPC", only: /b\.[0-9a-f]+\.new$/ });
  expect(() => writeAllDurably(failing, "/env", contents)).toThrow("Unable to write /env/b: the disk is full");
});

test("a temporary file is in the folder of its target, has another name each time, and is recognized as temporary", () => {
  const files = folderWith();
  const names = [1, 2].map(() => temporaryName(files, "/env/secrets.yaml"));
  expect(new Set(names).size).toBe(2);
  for (const name of names) {
    expect(name).toMatch(/^\/env\/\.secrets\.yaml\./);
    expect(name.slice("/env/".length)).toMatch(TEMPORARY_NAME);
  }
});

test.each(["secrets.yaml", ".new", ".secrets.yaml.new", ".secrets.yaml.0123.new", "secrets.yaml.0123456789abcdef.new"])(
  "%s is not taken for a temporary file",
  (name) => {
    expect(name).not.toMatch(TEMPORARY_NAME);
  },
);

test("a leftover file is removed, and one that cannot be removed is left without an error", () => {
  const files = folderWith("left");
  removeQuietly(files, "/env/left");
  expect(files.list("/env")).toEqual([]);
  const locked = failingFiles(folderWith("left"), { at: 0, code: "EROFS", lasting: true });
  expect(() => removeQuietly(locked, "/env/left")).not.toThrow();
});

test("a new folder and its parents survive a power failure, with the given mode", () => {
  const files = folderWith();
  makeFolderDurably(files, "/env/.talosmith/runs", 0o700);
  expect(files.afterCrash().stat("/env/.talosmith/runs")).toMatchObject({ kind: "folder", mode: 0o700 });
  expect(files.stat("/env/.talosmith")?.mode).toBe(0o700);
});

test("an existing folder is left as it is", () => {
  const files = failingFiles(folderWith(), { at: 0, code: "EIO" });
  makeFolderDurably(files, "/env", 0o755);
  expect(files.operations).toEqual([]);
  expect(files.stat("/env")?.mode).toBe(0o700);
});
