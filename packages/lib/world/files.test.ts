import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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
