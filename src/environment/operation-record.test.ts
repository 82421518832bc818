import { expect, test } from "vitest";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { readOperation, removeOperation, writeOperation } from "./operation-record.ts";

const env = { folder: "/env", shown: "environments/homelab" };
const FILE = "/env/.talosmith/operation.json";
const RECORD = {
  kind: "node replace",
  subject: "worker-2",
  target: { instance: "0a1b", talos: "v1.13.9" },
  at: "2026-11-18T20:14:03.000Z",
};

function folder(): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  return files;
}

test("an operation that was written down survives a power cut, readable by its owner alone", () => {
  const files = folder();
  writeOperation(files, env.folder, RECORD);
  expect(readOperation(files.afterCrash(), env)).toEqual(RECORD);
  expect(files.stat(FILE)?.mode).toBe(0o600);
});

test("an operation that has ended does not come back after a power cut", () => {
  const files = folder();
  writeOperation(files, env.folder, RECORD);
  removeOperation(files, env.folder);
  expect(readOperation(files.afterCrash(), env)).toBeUndefined();
  removeOperation(files, env.folder);
});

test.each([
  ["damaged", '{"format": 1, "kind": '],
  ["of a newer release", JSON.stringify({ format: 2, ...RECORD })],
  ["without its format", JSON.stringify(RECORD)],
  ["without its kind", JSON.stringify({ format: 1, ...RECORD, kind: undefined })],
  ["without its time", JSON.stringify({ format: 1, ...RECORD, at: undefined })],
  ["not an object", "null"],
])("a record that is %s stops the command and names the file", (_, text) => {
  const files = folder();
  files.makeFolder("/env/.talosmith", 0o700);
  files.write(FILE, Buffer.from(text), 0o600);
  expect(() => readOperation(files, env)).toThrow(
    expect.objectContaining({
      code: "OPERATION_UNREADABLE",
      message: expect.stringContaining("environments/homelab/.talosmith/operation.json"),
      hint: expect.stringContaining("talosmith plan environments/homelab"),
    }),
  );
});

test("an environment without an operation has no record", () => {
  expect(readOperation(folder(), env)).toBeUndefined();
});

test("the removal of a record that is not there changes nothing", () => {
  const files = folder();
  removeOperation(files, env.folder);
  expect(files.list("/env")).toEqual([]);
});

test("a record is removed at once", () => {
  const files = folder();
  writeOperation(files, env.folder, RECORD);
  removeOperation(files, env.folder);
  expect(files.list("/env/.talosmith")).toEqual([]);
});

test("a record is written in format 1, the one that older releases read", () => {
  const files = folder();
  writeOperation(files, env.folder, RECORD);
  expect(JSON.parse(Buffer.from(files.read(FILE) ?? []).toString("utf8"))).toEqual({ format: 1, ...RECORD });
  expect(files.stat("/env/.talosmith")?.mode).toBe(0o700);
});
