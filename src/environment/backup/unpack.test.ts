import type { UnpackedEntry } from "@talosmith/lib/tar/unpack.ts";
import { describe, expect, test } from "vitest";
import { streamOf } from "../../../test/support/streams.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import type { Manifest } from "./manifest.ts";
import { keptFile, type Tree } from "./testing/folder-in-memory.ts";
import { unpackInto } from "./unpack.ts";

const OLD = { format: 1, madeBy: "talosmith 0.1.0", cluster: "lab", at: "2026-11-16T00:00:00Z", holdsNot: [], outside: {} };
const LIST = ".talosmith/backup.json";

/** The entries of an archive: a path that ends with a slash is a folder. The date is the number of the entry in seconds. */
async function* entries(tree: Tree): AsyncGenerator<UnpackedEntry> {
  for (const [at, [path, text]] of Object.entries(tree).entries()) {
    const base = { mode: 0o644, size: Buffer.byteLength(text), modifiedMs: at * 1000 };
    const [one, two] = [text.slice(0, 2), text.slice(2)];
    if (path.endsWith("/")) yield { ...base, name: path.replace(/\/$/, ""), kind: "folder", content: () => streamOf() };
    else yield { ...base, name: path, kind: "file", content: () => streamOf(one, two) };
  }
}

async function unpacked(tree: Tree) {
  const files = new VolatileFiles();
  const found = await unpackInto(files, "/new", entries(tree));
  const texts = Object.fromEntries(
    files.paths().flatMap((path) => {
      const text = files.read(path);
      return text === undefined ? [] : [[path, Buffer.from(text).toString()]];
    }),
  );
  return { files, found, texts };
}
/** A list of these files, as `talosmith backup` writes it. */
function list(tree: Tree, changed: Partial<Manifest["files"][string]> = {}): string {
  const listed = Object.entries(tree).map(([path, text]) => {
    const { sha256, size } = keptFile(path, text);
    return [path, { sha256, size, mode: 0o644, ...changed }];
  });
  return JSON.stringify({ ...OLD, files: Object.fromEntries(listed) });
}
const refused = (code: string, message = "") => expect.objectContaining({ code, message: expect.stringContaining(message) });

test("an archive is unpacked for its owner alone, and listed as the archive has it", async () => {
  const { files, found, texts } = await unpacked({ "config.yaml": "config", "patches/x/all.yaml": "patch", "empty/": "" });
  expect(texts).toEqual({ "/new/config.yaml": "config", "/new/patches/x/all.yaml": "patch" });
  expect(found).toStrictEqual({
    root: "/new",
    files: [
      keptFile("config.yaml", "config", { mode: 0o644 }),
      keptFile("patches/x/all.yaml", "patch", { mode: 0o644, modifiedMs: 1000 }),
    ],
    atMs: 1000,
  });
  const modes = files.paths().map((path) => [path, files.stat(path)?.mode]);
  expect(Object.fromEntries(modes)).toMatchObject({
    "/new": 0o700,
    "/new/config.yaml": 0o600,
    "/new/empty": 0o700,
    "/new/patches": 0o700,
    "/new/patches/x": 0o700,
    "/new/patches/x/all.yaml": 0o600,
  });
});

test("everything in the new folder is on the disk before the folder gets its name", async () => {
  const { files } = await unpacked({ "lab/": "", "lab/config.yaml": "config", "lab/a/b/c.yaml": "c", "lab/empty/": "" });
  files.syncFolder("/");
  const kept = files.afterCrash();
  expect(kept.paths()).toEqual(files.paths());
  expect(kept.read("/new/lab/a/b/c.yaml")).toEqual(Buffer.from("c"));
});

describe("the environment is", () => {
  test.each<[string, Tree, string]>([
    ["the top folder with a config", { "config.yaml": "x", "a/config.yaml": "x" }, "/new"],
    ["the top folder with a list of files", { [LIST]: list({}) }, "/new"],
    ["the only folder, with a config", { "lab/": "", "lab/config.yaml": "x", "lab/b/c": "x" }, "/new/lab"],
    ["the only folder, with a list of files", { [`lab/${LIST}`]: list({}) }, "/new/lab"],
  ])("%s", async (_, tree, root) => {
    expect((await unpacked(tree)).found.root).toBe(root);
  });

  test.each<[string, Tree]>([
    ["an archive without files", { "lab/": "" }],
    ["an empty archive", {}],
    ["a folder without a config", { "lab/README": "x" }],
    ["one of several folders", { "lab/config.yaml": "x", "other/config.yaml": "x" }],
    ["a folder beside a file", { "lab/config.yaml": "x", README: "x" }],
    ["a folder inside the only folder", { "lab/env/config.yaml": "x" }],
  ])("not in %s", async (_, tree) => {
    await expect(unpacked(tree)).rejects.toEqual(refused("NO_BACKUP_IN_IT"));
  });
});

test("files are listed relative to the environment", async () => {
  const { found } = await unpacked({ "lab/": "", "lab/config.yaml": "x", "lab/lab/a": "x" });
  expect(found.files.map(({ path }) => path)).toEqual(["config.yaml", "lab/a"]);
});

describe("what belongs to the original computer is dropped:", () => {
  test.each([
    ".talosmith/lock",
    ".talosmith/lock.was-0a/owner",
    ".talosmith/place.json",
    ".lab/disks/one",
    ".lab/state",
    "patches/.a.yaml.0123456789abcdef.new",
  ])("%s", async (path) => {
    for (const top of ["", "lab/"]) {
      const { found, texts } = await unpacked({ [`${top}config.yaml`]: "x", [`${top}${path}`]: "x" });
      expect(found.files.map((file) => file.path)).toEqual(["config.yaml"]);
      expect(Object.keys(texts)).toEqual([`/new/${top}config.yaml`]);
    }
  });
});

test("files from outside the original folder are kept, whatever their names are", async () => {
  const paths = [".talosmith/outside/1-base.yaml", ".talosmith/outside/.2.yaml.0123456789abcdef.new"];
  const { found, texts } = await unpacked({ "config.yaml": "x", ...Object.fromEntries(paths.map((path) => [path, "x"])) });
  expect(found.files.map(({ path }) => path)).toEqual(["config.yaml", ...paths]);
  expect(Object.keys(texts)).toHaveLength(3);
});

describe("with a list of files", () => {
  const TREE = { "config.yaml": "config", "secrets.yaml": "secrets" };

  test("an archive is as old as the list says, and the list itself is not unpacked", async () => {
    const { found, texts } = await unpacked({ ...TREE, [LIST]: list(TREE) });
    expect(found.atMs).toBe(Date.parse("2026-11-16T00:00:00Z"));
    expect(found.manifest?.cluster).toBe("lab");
    expect(Object.keys(texts)).toEqual(["/new/config.yaml", "/new/secrets.yaml"]);
    expect(found.files).toHaveLength(2);
  });

  test.each<[string, string, string]>([
    ["another content", list({ ...TREE, "config.yaml": "CONFIG" }), "config.yaml differs from"],
    ["another size alone", list(TREE, { size: 1 }), "config.yaml differs from"],
    ["another hash alone", list(TREE, { sha256: "0".repeat(64) }), "config.yaml differs from"],
    ["another mode", list(TREE, { mode: 0o600 }), "config.yaml has a different mode"],
    ["a file missing", list({ ...TREE, "a.yaml": "x" }), "a.yaml is in the backup's list of files, but not in the backup"],
    ["a file too many", list({ "config.yaml": "config" }), "secrets.yaml is not in the backup's list of files"],
    ["no valid list", "", "it was not written by talosmith backup"],
  ])("an archive is damaged when it has %s", async (_, text, why) => {
    await expect(unpacked({ ...TREE, [LIST]: text })).rejects.toEqual(refused("BACKUP_DAMAGED", why));
  });
});

test("an archive without a list is as old as its newest file", async () => {
  expect((await unpacked({ "config.yaml": "x" })).found.atMs).toBe(0);
  expect((await unpacked({ a: "x", b: "x", "config.yaml": "x", ".lab/state": "x" })).found.atMs).toBe(2000);
});
