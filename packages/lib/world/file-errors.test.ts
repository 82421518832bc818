import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemError } from "../../../test/support/failing-files.ts";
import { TalosmithError } from "../errors.ts";
import { fileError, systemCode } from "./file-errors.ts";
import { realFiles } from "./files.ts";

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

test("an error that does not come from the file system is passed on unchanged", () => {
  const other = new TypeError("x is undefined");
  expect(fileError(other, "write", "/file")).toBe(other);
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
