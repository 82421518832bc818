import type { Files } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { keepCopy } from "./copies.ts";

const FILE = "/env/secrets.yaml";
const COPIES = "/env/.talosmith/copies";

function folder(): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  return files;
}

const worldAt = (files: Files, ms: number) => {
  const world = testWorld({ files });
  return { ...world, clock: { ...world.clock, now: () => ms } };
};
const put = (files: VolatileFiles, text: string) => files.write(FILE, Buffer.from(text), 0o600);
const text = (files: Files, path: string) => Buffer.from(files.read(path) ?? []).toString("utf8");

test("a file is copied before it is overwritten, readable by its owner only, and the copy survives a power failure", () => {
  const files = folder();
  put(files, "first");
  const copy = keepCopy(worldAt(files, Date.UTC(2026, 0, 2, 3, 4, 5)), "/env", FILE);
  expect(copy).toBe(`${COPIES}/secrets.yaml.2026-01-02T03-04-05`);
  expect(text(files.afterCrash(), copy ?? "")).toBe("first");
  expect(files.stat(copy ?? "")?.mode).toBe(0o600);
  expect(files.stat(COPIES)?.mode).toBe(0o700);
});

test("a missing file is not copied, and an unchanged file is not copied twice", () => {
  const files = folder();
  const world = worldAt(files, Date.UTC(2026, 0, 1));
  expect(keepCopy(world, "/env", FILE)).toBeUndefined();
  expect(files.list("/env")).toEqual([]);
  put(files, "first");
  expect(keepCopy(world, "/env", FILE)).toBe(keepCopy(world, "/env", FILE));
  expect(files.list(COPIES)).toHaveLength(1);
});

test("the newest ten of each file stay, whatever the clock says", () => {
  const files = folder();
  files.makeFolder(COPIES, 0o700);
  files.write(`${COPIES}/secrets.yaml.old.2020-01-01T00-00-00`, Buffer.from("another file's"), 0o600);
  for (let n = 0; n < 15; n++) {
    put(files, `content ${n}`);
    keepCopy(worldAt(files, Date.UTC(2026, 0, 1) - n * 1000), "/env", FILE);
  }
  const kept = (files.list(COPIES) ?? []).map((name) => text(files, `${COPIES}/${name}`));
  expect(kept.sort()).toEqual(["another file's", ...Array.from({ length: 10 }, (_, n) => `content ${n + 5}`)].sort());
});

test("on a full disk the file is not touched and no copy is lost", () => {
  for (let at = 1; at <= 8; at++) {
    const files = folder();
    put(files, "first");
    keepCopy(worldAt(files, Date.UTC(2026, 0, 1)), "/env", FILE);
    put(files, "second");
    const world = worldAt(failingFiles(files, { at, code: "ENOSPC", lasting: true }), Date.UTC(2026, 0, 2));
    if (at <= 4) expect(() => keepCopy(world, "/env", FILE)).toThrow(expect.objectContaining({ code: "DISK_FULL" }));
    else keepCopy(world, "/env", FILE);
    expect(text(files, FILE)).toBe("second");
    expect(text(files, `${COPIES}/secrets.yaml.2026-01-01T00-00-00`)).toBe("first");
    expect(files.list(COPIES)?.filter((name) => name.startsWith("."))).toEqual([]);
  }
});

test("content that equals an older copy is copied again, so that the newest copy is always the latest content", () => {
  const files = folder();
  const keep = (content: string, second: number) => {
    put(files, content);
    return keepCopy(worldAt(files, Date.UTC(2026, 0, 1, 0, 0, second)), "/env", FILE);
  };
  const [first, second, third] = [keep("a", 1), keep("b", 2), keep("a", 3)];
  expect(new Set([first, second, third]).size).toBe(3);
  expect(keep("a", 4)).toBe(third);
});

test("the copies of a file do not count for another file, nor does a file that is no copy", () => {
  const files = folder();
  files.makeFolder(COPIES, 0o700);
  put(files, "secret");
  for (const name of ["kubeconfig.2026-01-01T00-00-00", "secrets.yaml.notes", "secrets.yaml"])
    files.write(`${COPIES}/${name}`, Buffer.from("secret"), 0o600);
  expect(keepCopy(worldAt(files, Date.UTC(2026, 0, 1)), "/env", FILE)).toBe(`${COPIES}/secrets.yaml.2026-01-01T00-00-00`);
});

test("an empty file is copied", () => {
  const files = folder();
  put(files, "");
  expect(keepCopy(worldAt(files, 0), "/env", FILE)).toBe(`${COPIES}/secrets.yaml.1970-01-01T00-00-00`);
});

test("the oldest copy goes when there are ten, and none before", () => {
  const files = folder();
  for (let second = 1; second <= 11; second++) {
    put(files, `content ${second}`);
    keepCopy(worldAt(files, Date.UTC(2026, 0, 1, 0, 0, second)), "/env", FILE);
    expect(files.list(COPIES)).toHaveLength(Math.min(second, 10));
  }
  expect(text(files, `${COPIES}/${files.list(COPIES)?.[0]}`)).toBe("content 2");
});

test("a last copy that vanishes while it is looked at is made again", () => {
  const files = folder();
  const world = worldAt(files, Date.UTC(2026, 0, 1));
  put(files, "first");
  const first = keepCopy(world, "/env", FILE);
  const read = files.read.bind(files);
  files.read = (path) => (path === first ? undefined : read(path));
  expect(keepCopy(world, "/env", FILE)).toBe(`${first}.2`);
});
