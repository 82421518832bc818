import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemError } from "../../../test/support/failing-files.ts";
import { TalosmithError, userError } from "../errors.ts";
import { explained, fileError, systemCode } from "./file-errors.ts";
import { realFiles } from "./files.ts";
import type { Files } from "./world.ts";

const folder = mkdtempSync(join(tmpdir(), "talosmith-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const text = Buffer.from("text");

function thrownBy(work: () => unknown): TalosmithError {
  try {
    work();
  } catch (error) {
    if (error instanceof TalosmithError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

writeFileSync(at("file"), "");
mkdirSync(at("folder"));
symlinkSync("circle", at("circle"));

test.each<[string, string, () => unknown]>([
  ["DISK_FULL", "the disk is full", () => realFiles.append("/dev/full", text, 0o600)],
  ["FILE_KIND", "a folder is where the file should be", () => realFiles.append(at("folder"), text, 0o600)],
  ["FILE_KIND", "a folder is where the file should be", () => realFiles.read(at("folder"))],
  ["FILE_KIND", "a file is where a folder should be", () => realFiles.create(at("file/below"), text, 0o600)],
  ["FILE_KIND", "links lead in a circle", () => realFiles.read(at("circle"))],
  ["FILE_NAME", "its name is too long", () => realFiles.create(at("n".repeat(300)), text, 0o600)],
  ["FILE_GONE", "no longer exists", () => realFiles.create(at("nowhere/file"), text, 0o600)],
  ["FILE_GONE", "no longer exists", () => realFiles.rename(at("nothing"), at("file"))],
])("a real system call fails with %s: %s", (code, why, work) => {
  const error = thrownBy(work);
  expect(error).toMatchObject({ kind: "user", code });
  expect(error.message).toContain(why);
  expect(error.hint).toMatch(/\S/);
});

test.each([
  ["ENOSPC", "DISK_FULL"],
  ["EDQUOT", "DISK_FULL"],
  ["EROFS", "READ_ONLY"],
  ["EACCES", "FILE_DENIED"],
  ["EPERM", "FILE_DENIED"],
  ["EMFILE", "TOO_MANY_FILES"],
  ["EIO", "DISK_ERROR"],
  ["EBUSY", "FILE_BUSY"],
  ["ENOTSUP", "FILE_SYSTEM"],
  ["EWHATEVER", "FILE_ERROR"],
])("%s becomes %s with the file, the reason, a hint and the system's message", (system, code) => {
  const error = fileError(systemError(system), "write", "/my env/secrets.yaml", "It is whole.") as TalosmithError;
  expect(error).toMatchObject({ kind: "user", code });
  expect(error.message).toMatch(/^Unable to write \/my env\/secrets.yaml: \S/);
  expect(error.detail).toMatch(new RegExp(`^${system}: .*\nIt is whole\\.$`));
  expect(error.hint).toMatch(/\S/);
  expect(systemCode(error)).toBe(system);
});

test.each([
  ["a bug", new TypeError("x is undefined")],
  ["an error of Node itself", Object.assign(new Error("invalid"), { code: "ERR_INVALID_ARG_TYPE" })],
  ["a code that is a number", Object.assign(new Error("exit"), { code: 1 })],
  ["an error with its own explanation and no system error behind it", userError("LOCKED", { message: "locked", hint: "wait" })],
  ["an object that is not an error", { code: "EIO" }],
  ["undefined", undefined],
])("%s is not a file error and is returned unchanged", (_, other) => {
  expect(systemCode(other)).toBe("");
  expect(fileError(other, "write", "/file")).toBe(other);
});

test("an explained error can be explained again for another file: the system's code and message stay", () => {
  const temporary = fileError(systemError("ENOSPC"), "write", "/env/.secrets.yaml.new");
  const error = fileError(temporary, "replace", "/env/secrets.yaml", "The old one is there.") as TalosmithError;
  expect(error.message).toBe("Unable to replace /env/secrets.yaml: the disk is full");
  expect(error.detail).toBe("ENOSPC: no space left on device\nThe old one is there.");
  expect(systemCode(error)).toBe("ENOSPC");
});

test("without a resulting state the detail is the system's message alone", () => {
  expect(fileError(systemError("EIO"), "read", "/file")).toMatchObject({ detail: "EIO: i/o error" });
});

test.each<[string, (files: Files) => unknown]>([
  ["read /file", (files) => files.read("/file")],
  ["write /file", (files) => files.create("/file", text, 0o600)],
  ["write /file", (files) => files.append("/file", text, 0o600)],
  ["write /file", (files) => files.sync("/file")],
  ["write /file", (files) => files.syncFolder("/file")],
  ["write /file", (files) => files.rename("/from", "/file")],
  ["write /file", (files) => files.claim("/from", "/file")],
  ["write /file", (files) => files.touch("/file")],
  ["remove /file", (files) => files.remove("/file")],
  ["list /file", (files) => files.list("/file")],
  ["create the folder /file", (files) => files.makeFolder("/file", 0o700)],
  ["inspect /file", (files) => files.stat("/file")],
  ["inspect /file", (files) => files.linkTarget("/file")],
])("a failed operation says that it was unable to %s", (doing, work) => {
  const broken = new Proxy({} as Files, {
    get: () => () => {
      throw systemError("EIO");
    },
  });
  expect(thrownBy(() => work(explained(broken))).message).toBe(`Unable to ${doing}: the disk failed`);
});

test("a stream that fails names its file", async () => {
  const read = async () => {
    for await (const _ of realFiles.stream(at("nothing")));
  };
  await expect(read()).rejects.toMatchObject({ code: "FILE_GONE", message: expect.stringContaining(at("nothing")) });
});

test("two paths to one folder have one id", () => {
  symlinkSync(at("folder"), at("link"));
  expect(realFiles.stat(at("link"))?.id).toBe(realFiles.stat(at("folder"))?.id);
  expect(realFiles.stat(at("file"))?.id).not.toBe(realFiles.stat(at("folder"))?.id);
});
