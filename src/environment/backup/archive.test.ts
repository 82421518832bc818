import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { encryptAge } from "@talosmith/lib/age/crypt.ts";
import { writeHeader } from "@talosmith/lib/tar/header.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { describe, expect, test } from "vitest";
import { changedFiles } from "../../../test/support/changed-files.ts";
import { allOf, bytesOf, streamOf } from "../../../test/support/streams.ts";
import { testWorld } from "../../../test/support/test-world.ts";
import type { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { checkArchive, peek, readArchive, writeArchive } from "./archive.ts";
import { contentsOf } from "./contents.ts";
import type { Manifest } from "./manifest.ts";
import { folderInMemory, keptFile, type Tree } from "./testing/folder-in-memory.ts";

// The pair of the age project's own format tests: 32 bytes of 0x42.
const RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const OLD = { format: 1, madeBy: "talosmith 0.1.0", at: "2026-11-16T00:00:00Z", outside: {} } as const;
const TREE = { "config.yaml": "config", "patches/all.yaml": "patch", "empty/": "" };
const going = () => new AbortController().signal;

const listOf = (tree: Tree): Manifest["files"] =>
  Object.fromEntries(
    Object.entries(tree).map(([path, text]) => {
      const { sha256, size, mode } = keptFile(path, text);
      return [path, { sha256, size, mode }];
    }),
  );
const manifestOf = (files: Manifest["files"]): Manifest => ({ ...OLD, cluster: "lab", holdsNot: [], files });

interface More {
  /** The files that are read when the archive is written. */
  now?: (files: VolatileFiles) => Files;
  signal?: AbortSignal;
}

/** Lists a folder, then writes it to /kept/new. */
async function written(files: VolatileFiles, { now = (same) => same, signal = going() }: More = {}) {
  files.makeFolder("/kept", 0o700);
  const contents = await contentsOf(files, "/env");
  const manifest = manifestOf(Object.fromEntries(contents.files.map(({ path, ...file }) => [path, file])));
  const to = { folder: "/env", contents, outside: [], manifest };
  const world = testWorld({ files: now(files) });
  return { ...(await writeArchive(world, to, { recipients: [RECIPIENT] }, { file: "/kept/new", signal })), manifest };
}

const sealedIn = (files: VolatileFiles) => files.read("/kept/new") ?? Buffer.alloc(0);

/** An archive of any bytes, encrypted by hand. */
async function sealed(...parts: Uint8Array[]) {
  const { parts: made, keys } = await encryptAge(streamOf(...parts), { recipients: [RECIPIENT] });
  return { bytes: await bytesOf(made), keys };
}
async function namesIn(...parts: Uint8Array[]): Promise<string[]> {
  const { bytes, keys } = await sealed(...parts);
  return (await allOf(readArchive(streamOf(bytes), keys))).map(({ name }) => name);
}
const header = (name: string, size = 0) => writeHeader({ name, type: "0", mode: 0o600, size, modified: 0 });
const END = Buffer.alloc(1024);

describe("a written archive", () => {
  test("has the list of files first, then every file, with their rights, below the cluster's name", async () => {
    const files = folderInMemory("/env", TREE);
    files.write("/env/secrets.yaml", Buffer.from("secret"), 0o640);
    const { keys, manifest } = await written(files);
    const seen = [];
    for await (const { name, kind, mode, content } of readArchive(streamOf(sealedIn(files)), keys))
      seen.push([name, kind, mode, (await bytesOf(content())).toString()]);
    expect(seen).toEqual([
      ["lab", "folder", 0o700, ""],
      ["lab/empty", "folder", 0o700, ""],
      ["lab/patches", "folder", 0o700, ""],
      ["lab/.talosmith/backup.json", "file", 0o600, `${JSON.stringify(manifest, null, 2)}\n`],
      ["lab/config.yaml", "file", 0o600, "config"],
      ["lab/patches/all.yaml", "file", 0o600, "patch"],
      ["lab/secrets.yaml", "file", 0o640, "secret"],
    ]);
  });

  test("is described by its size and hashes", async () => {
    const files = folderInMemory("/env", TREE);
    const { size, sha256, md5 } = await written(files);
    const bytes = sealedIn(files);
    const hash = (name: string) => createHash(name).update(bytes);
    expect({ size, sha256, md5 }).toEqual({
      size: bytes.length,
      sha256: hash("sha256").digest("hex"),
      md5: hash("md5").digest("base64"),
    });
  });

  test("is readable by its owner alone, and on the disk in full", async () => {
    const files = folderInMemory("/env", TREE);
    const modes = new Set<number>();
    files.onChange = (_, path) => modes.add(path === "/kept/new" ? (files.stat(path)?.mode ?? 0) : 0o600);
    await written(files);
    files.syncFolder("/");
    files.syncFolder("/kept");
    expect([...modes]).toEqual([0o600]);
    expect(files.afterCrash().read("/kept/new")).toEqual(sealedIn(files));
  });

  test("never replaces a file", async () => {
    const files = folderInMemory("/env", TREE);
    await written(files);
    await expect(written(files)).rejects.toMatchObject({ code: "EEXIST" });
  });
});

test("writing an archive stops when the command is interrupted", async () => {
  const signal = AbortSignal.abort(new Error("interrupted"));
  await expect(written(folderInMemory("/env", TREE), { signal })).rejects.toThrow("interrupted");
});

describe("a file that changes after it was listed stops the backup:", () => {
  test.each([
    ["with other content of the same size", "CONFIG"],
    ["when it is shorter", "confi"],
    ["when it is longer", "config2"],
    ["when it is empty", ""],
  ])("%s", async (_, text) => {
    const now = (files: VolatileFiles) =>
      changedFiles(files, { stream: (path) => (path === "/env/config.yaml" ? streamOf(text) : files.stream(path)) });
    await expect(written(folderInMemory("/env", TREE), { now })).rejects.toMatchObject({
      code: "BACKUP_CHANGED",
      message: "config.yaml was changed while it was read",
    });
  });

  test("when it grows, and it is not read any further", async () => {
    const growing = async function* () {
      yield Buffer.from("config");
      yield Buffer.from("more");
      throw new Error("it was read on");
    };
    const now = (files: VolatileFiles) => changedFiles(files, { stream: growing });
    await expect(written(folderInMemory("/env", { "config.yaml": "config" }), { now })).rejects.toMatchObject({
      code: "BACKUP_CHANGED",
    });
  });
});

describe("an archive passes its check", () => {
  const check = async (files: Manifest["files"]) => {
    const memory = folderInMemory("/env", TREE);
    const { keys } = await written(memory);
    await checkArchive(streamOf(sealedIn(memory)), keys, manifestOf(files));
  };
  const LIST = listOf({ "config.yaml": "config", "patches/all.yaml": "patch" });

  test("when it contains exactly the files of the list", async () => {
    await expect(check(LIST)).resolves.toBeUndefined();
  });

  test.each([
    ["with another content", { ...LIST, ...listOf({ "config.yaml": "other" }) }, "the checksum of config.yaml"],
    ["that is not in the list", listOf({ "config.yaml": "config" }), "the checksum of patches/all.yaml"],
    ["that it does not contain", { ...LIST, ...listOf({ "a.yaml": "x" }) }, "a.yaml is missing"],
  ])("but not with a file %s", async (_, files, why) => {
    await expect(check(files)).rejects.toMatchObject({ code: "BACKUP_DAMAGED", message: expect.stringContaining(why) });
  });
});

describe("an archive", () => {
  test("is read compressed or not", async () => {
    const tar = Buffer.concat([header("a"), END]);
    expect(await namesIn(tar)).toEqual(["a"]);
    expect(await namesIn(gzipSync(tar))).toEqual(["a"]);
  });

  test.each(["\x1fa", "Ëa"])("that is not compressed is recognized whatever its first name is: %j", async (name) => {
    expect(await namesIn(header(name), END)).toEqual([name]);
  });

  test("that ends too early is damaged, compressed or not", async () => {
    const gz = gzipSync(Buffer.concat([header("a"), END]));
    const damaged = expect.objectContaining({
      code: "BACKUP_DAMAGED",
      message: expect.stringContaining("cannot be decompressed"),
    });
    await expect(namesIn(gz.subarray(0, -12))).rejects.toEqual(damaged);
    await expect(namesIn(gz.subarray(0, 10), Buffer.alloc(100, 0xff))).rejects.toEqual(damaged);
    await expect(namesIn(header("a"))).rejects.toMatchObject({ code: "TAR" });
    await expect(namesIn()).rejects.toMatchObject({ code: "TAR" });
  });

  test("that cannot be read fails with the error of its storage", async () => {
    const { bytes, keys } = await sealed(gzipSync(Buffer.alloc(300_000)));
    const error = Object.assign(new Error("i/o error"), { code: "EIO" });
    const failing = async function* () {
      yield bytes.subarray(0, 250);
      throw error;
    };
    await expect(allOf(readArchive(failing(), keys))).rejects.toBe(error);
  });

  test("may have 2 GiB and a little more, and is refused beyond that before it is read", async () => {
    await expect(namesIn(header("a", 2 * 1024 ** 3 + 1024 ** 2), END)).rejects.toThrow("it is truncated");
    await expect(namesIn(header("a", 2 * 1024 ** 3 + 1024 ** 2 + 1), END)).rejects.toThrow("it is too large");
  });
});

describe("peeking into a stream", () => {
  test("shows its first part, and leaves all of them", async () => {
    const { first, all } = await peek(streamOf("one", "two"));
    expect([Buffer.from(first).toString(), (await bytesOf(all)).toString()]).toEqual(["one", "onetwo"]);
  });

  test("shows nothing of an empty one", async () => {
    const { first, all } = await peek(streamOf());
    expect([first.length, await allOf(all)]).toEqual([0, []]);
  });

  test("releases it when it is read only in part", async () => {
    let released = false;
    const source = async function* () {
      try {
        yield Buffer.from("one");
        yield Buffer.from("two");
      } finally {
        released = true;
      }
    };
    const { all } = await peek(source());
    for await (const _ of all) break;
    expect(released).toBe(true);
  });
});
