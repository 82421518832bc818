import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { writeAllDurably, writeDurably } from "./durable.ts";
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
