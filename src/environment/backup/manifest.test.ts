import { expect, test } from "vitest";
import { type Manifest, parseManifest, printManifest } from "./manifest.ts";

const FILE = { sha256: "0a".repeat(32), size: 5, mode: 0o600 };
const MANIFEST: Manifest = {
  format: 1,
  madeBy: "talosmith 0.1.0",
  cluster: "homelab",
  environment: "homelab-0a1b2c3d",
  at: "2026-11-16T00:00:00Z",
  holdsNot: ["etcd data"],
  files: { "config.yaml": FILE },
  outside: { ".talosmith/outside/1-base.yaml": "../base.yaml" },
};
const parsed = (more: object) => parseManifest(JSON.stringify({ ...MANIFEST, ...more }));

test("a list of files is read as it was written, with an environment or without", () => {
  expect(parseManifest(printManifest(MANIFEST))).toEqual(MANIFEST);
  const { environment: _, ...without } = MANIFEST;
  expect(parseManifest(printManifest(without))).toEqual(without);
});

test.each<[string, object]>([
  ["its maker is no text", { madeBy: 1 }],
  ["its cluster is no text", { cluster: null }],
  ["its time is invalid", { at: "yesterday" }],
  ["its environment is no text", { environment: 1 }],
  ["what it does not hold is no list", { holdsNot: "etcd" }],
  ["what it does not hold is no list of texts", { holdsNot: [1] }],
  ["its files are a list", { files: [FILE] }],
  ["a file is nothing", { files: { a: null } }],
  ["a hash is too short", { files: { a: { ...FILE, sha256: "0a" } } }],
  ["a hash is no text", { files: { a: { ...FILE, sha256: 1 } } }],
  ["a size is a fraction", { files: { a: { ...FILE, size: 1.5 } } }],
  ["a mode is a text", { files: { a: { ...FILE, mode: "600" } } }],
  ["files from outside are a list", { outside: [] }],
  ["a file from outside has no place", { outside: { a: 1 } }],
])("a list of files is refused when %s", (_, more) => {
  expect(() => parsed(more)).toThrow(expect.objectContaining({ code: "BACKUP_DAMAGED" }));
});

test.each(["", "{", "null", "[]", '"x"'])("what is no list of files is refused: %j", (text) => {
  expect(() => parseManifest(text)).toThrow(expect.objectContaining({ code: "BACKUP_DAMAGED" }));
});

test("a backup of a newer talosmith is refused with the version that made it", () => {
  const refused = (more: object) => () => parsed({ format: 2, ...more });
  expect(refused({ madeBy: "talosmith 9.0.0" })).toThrow(
    expect.objectContaining({ code: "BACKUP_FORMAT", hint: expect.stringContaining("talosmith 9.0.0") }),
  );
  expect(refused({ madeBy: 1 })).toThrow(expect.objectContaining({ hint: expect.stringContaining("unknown") }));
});
