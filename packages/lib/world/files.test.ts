import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFsCalls } from "../../../test/support/fs-calls.ts";
import { writeDurably } from "../durable.ts";
import { realFiles } from "./files.ts";

let home: string;
const at = (...names: string[]) => join(home, ...names);
const bytes = (text: string) => Buffer.from(text);

beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "talosmith-files-"));
  fs.writeFileSync(at("elsewhere"), "another user's");
});
afterEach(() => fs.rmSync(home, { recursive: true }));

test("create never writes through a link or over an existing file", () => {
  fs.symlinkSync(at("elsewhere"), at("link"));
  fs.symlinkSync(at("nowhere"), at("dangling"));
  for (const name of ["link", "dangling", "elsewhere"])
    expect(() => realFiles.create(at(name), bytes("secret"), 0o600)).toThrow(expect.objectContaining({ code: "FILE_KIND" }));
  expect(fs.readFileSync(at("elsewhere"), "utf8")).toBe("another user's");
  expect(fs.existsSync(at("nowhere"))).toBe(false);
});

test("append does not write through a link", () => {
  fs.symlinkSync(at("elsewhere"), at("link"));
  expect(() => realFiles.append(at("link"), bytes("secret"), 0o600)).toThrow(expect.objectContaining({ code: "FILE_KIND" }));
  expect(fs.readFileSync(at("elsewhere"), "utf8")).toBe("another user's");
});

test("replacing a file never writes through a link with a similar name", () => {
  fs.writeFileSync(at("secrets.yaml"), "old");
  for (const name of [".secrets.yaml.new", ".secrets.yaml.0000000000000000.new"]) fs.symlinkSync(at("elsewhere"), at(name));
  fs.symlinkSync(at("elsewhere"), at("kubeconfig"));
  writeDurably(realFiles, at("secrets.yaml"), "new");
  writeDurably(realFiles, at("kubeconfig"), "new");
  expect(fs.readFileSync(at("elsewhere"), "utf8")).toBe("another user's");
  expect(
    ["secrets.yaml", "kubeconfig"].map((name) => [fs.lstatSync(at(name)).isFile(), fs.readFileSync(at(name), "utf8")]),
  ).toEqual([
    [true, "new"],
    [true, "new"],
  ]);
  expect(fs.readdirSync(home)).toHaveLength(5);
});

test("only one of two callers can claim a folder", () => {
  for (const name of ["one", "two"]) {
    fs.mkdirSync(at(name));
    fs.writeFileSync(at(name, name), "");
  }
  expect(realFiles.claim(at("one"), at("lock"))).toBe(true);
  expect(realFiles.claim(at("two"), at("lock"))).toBe(false);
  expect(realFiles.claim(at("two"), at("elsewhere"))).toBe(false);
  expect(realFiles.list(at("lock"))).toEqual(["one"]);
  expect(() => realFiles.claim(at("nothing"), at("new"))).toThrow(expect.objectContaining({ code: "FILE_GONE" }));
});

test("a claim that fails although the name is free reports the system's own error", () => {
  fs.mkdirSync(at("folder"));
  expect(() => realFiles.claim(at("folder"), at("folder", "inside"))).toThrow(
    expect.objectContaining({ detail: expect.stringMatching(/^EINVAL/) }),
  );
});

test("touch updates the time of a file, keeps its content, and creates no file", () => {
  fs.utimesSync(at("elsewhere"), 1, 1);
  realFiles.touch(at("elsewhere"));
  realFiles.touch(at("nothing"));
  const fresh = at("fresh");
  realFiles.create(fresh, bytes(""), 0o600);
  const [touched, now] = [at("elsewhere"), fresh].map((path) => realFiles.stat(path)?.modifiedMs ?? 0);
  expect(Math.abs((now ?? 0) - (touched ?? 0))).toBeLessThan(3_600_000);
  expect([fs.readFileSync(at("elsewhere"), "utf8"), fs.existsSync(at("nothing"))]).toEqual(["another user's", false]);
});

test.each(["", "1", "longer than one byte"])("touch keeps the content %j", (content) => {
  fs.writeFileSync(at("touched"), content);
  fs.utimesSync(at("touched"), 1, 1);
  realFiles.touch(at("touched"));
  expect(fs.readFileSync(at("touched"), "utf8")).toBe(content);
  expect((realFiles.stat(at("touched"))?.modifiedMs ?? 0) > 1000).toBe(content !== "");
});

test("touch does not write through a link", () => {
  fs.utimesSync(at("elsewhere"), 1, 1);
  fs.symlinkSync(at("elsewhere"), at("link"));
  expect(() => realFiles.touch(at("link"))).toThrow(expect.objectContaining({ code: "FILE_KIND" }));
  expect(realFiles.stat(at("elsewhere"))?.modifiedMs).toBe(1000);
});

test("linkTarget returns the target of a link", () => {
  fs.symlinkSync("nowhere", at("dangling"));
  expect(["dangling", "elsewhere", "nothing"].map((name) => realFiles.linkTarget(at(name)))).toEqual([
    "nowhere",
    undefined,
    undefined,
  ]);
});

test("files and folders get exactly the requested mode, also with an empty umask", () => {
  const umask = process.umask(0);
  try {
    realFiles.makeFolder(at("state", "runs"), 0o700);
    realFiles.create(at("secrets.yaml"), bytes("secret"), 0o600);
    realFiles.append(at("journal"), bytes("secret"), 0o600);
    writeDurably(realFiles, at("kubeconfig"), "secret");
    writeDurably(realFiles, at("elsewhere"), "secret");
  } finally {
    process.umask(umask);
  }
  const modes = ["state", "state/runs", "secrets.yaml", "journal", "kubeconfig", "elsewhere"].map(
    (name) => realFiles.stat(at(name))?.mode,
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600, 0o600]);
});

test("a new file gets the requested mode whatever the umask is", () => {
  const umask = process.umask(0o777);
  try {
    realFiles.create(at("secrets.yaml"), bytes("secret"), 0o640);
  } finally {
    process.umask(umask);
  }
  expect(realFiles.stat(at("secrets.yaml"))?.mode).toBe(0o640);
});

test("data that the system takes in small parts is written completely", () => {
  const restore = replaceFsCalls({
    writeSync: (write) => (file: number, data: Uint8Array, from: number) =>
      write(file, data, from, Math.min(3, data.length - from)),
  });
  try {
    realFiles.create(at("file"), bytes("created"), 0o600);
    realFiles.append(at("file"), bytes(", and appended"), 0o600);
  } finally {
    restore();
  }
  expect(fs.readFileSync(at("file"), "utf8")).toBe("created, and appended");
});

test("every opened file is closed, also after a failure", () => {
  const open = new Set<number>();
  const restore = replaceFsCalls({
    openSync: (openSync) => (path: string, flags: string, mode: number) => {
      const file = openSync(path, flags, mode);
      open.add(file);
      return file;
    },
    closeSync: (closeSync) => (file: number) => {
      open.delete(file);
      closeSync(file);
    },
  });
  try {
    realFiles.create(at("file"), bytes("text"), 0o600);
    realFiles.append(at("file"), bytes("text"), 0o600);
    realFiles.sync(at("file"));
    realFiles.syncFolder(home);
    realFiles.touch(at("file"));
    if (fs.existsSync("/dev/full")) expect(() => realFiles.append("/dev/full", bytes("text"), 0o600)).toThrow();
  } finally {
    restore();
  }
  expect([...open]).toEqual([]);
});

test.each(["sync", "syncFolder"] as const)("%s flushes to the disk the file or folder that it is given", (call) => {
  const flushed: unknown[] = [];
  const restore = replaceFsCalls({
    fsyncSync: (fsync) => (file: number) => {
      flushed.push(fs.fstatSync(file).ino);
      fsync(file);
    },
  });
  const path = call === "sync" ? at("elsewhere") : home;
  try {
    realFiles[call](path);
  } finally {
    restore();
  }
  expect(flushed).toEqual([fs.statSync(path).ino]);
});

test("a path that does not exist, or leads through a file, is absent", () => {
  for (const path of [at("nothing"), at("elsewhere", "below")]) {
    expect(realFiles.read(path)).toBeUndefined();
    expect(realFiles.list(path)).toBeUndefined();
    expect(realFiles.stat(path)).toBeUndefined();
    expect(realFiles.linkTarget(path)).toBeUndefined();
    expect(() => realFiles.touch(path)).not.toThrow();
  }
});

test("a folder is listed in the order of its names, whatever order the system has", () => {
  const restore = replaceFsCalls({ readdirSync: () => () => ["b", "a", "c"] });
  try {
    expect(realFiles.list(home)).toEqual(["a", "b", "c"]);
  } finally {
    restore();
  }
});

test("remove removes a file, a folder with its content, a link but not its target, and accepts a missing path", () => {
  realFiles.makeFolder(at("folder", "inside"), 0o700);
  realFiles.create(at("folder", "inside", "file"), bytes(""), 0o600);
  realFiles.create(at("file"), bytes(""), 0o600);
  fs.symlinkSync(at("elsewhere"), at("link"));
  for (const name of ["folder", "file", "link", "nothing"]) realFiles.remove(at(name));
  expect(fs.readdirSync(home)).toEqual(["elsewhere"]);
});

test("rename replaces a file", () => {
  realFiles.create(at("new"), bytes("new"), 0o600);
  realFiles.rename(at("new"), at("elsewhere"));
  expect(fs.readdirSync(home)).toEqual(["elsewhere"]);
  expect(fs.readFileSync(at("elsewhere"), "utf8")).toBe("new");
});

test("stat tells files, folders and other things apart", () => {
  fs.mkdirSync(at("folder"));
  fs.chmodSync(at("folder"), 0o1750);
  fs.chmodSync(at("elsewhere"), 0o640);
  expect(realFiles.stat(at("elsewhere"))).toMatchObject({ kind: "file", size: "another user's".length, mode: 0o640 });
  expect(realFiles.stat(at("folder"))).toMatchObject({ kind: "folder", mode: 0o750 });
  expect(realFiles.stat("/dev/null")?.kind).toBe("other");
});

test("a nonce has 16 hex digits and never comes twice", () => {
  const nonces = Array.from({ length: 100 }, () => realFiles.nonce());
  expect(new Set(nonces).size).toBe(100);
  for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{16}$/);
});

test("read and stream return the content", async () => {
  expect(String(realFiles.read(at("elsewhere")))).toBe("another user's");
  const parts: Uint8Array[] = [];
  for await (const part of realFiles.stream(at("elsewhere"))) parts.push(part);
  expect(String(Buffer.concat(parts))).toBe("another user's");
});
