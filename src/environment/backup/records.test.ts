import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { addBackupRecord, type BackupRecord, backupRecords, backupState } from "./records.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const record = (more: Partial<BackupRecord> = {}): BackupRecord => ({
  at: "2026-11-16T00:00:00Z",
  where: "/kept/one.age",
  sha256: hash("archive"),
  size: 10,
  content: { "secrets.yaml": hash("secrets"), "config.yaml": hash("config") },
  ...more,
});

function folder(more: Record<string, string> = {}): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  for (const [name, text] of Object.entries({ "secrets.yaml": "secrets", "config.yaml": "config", ...more }))
    files.write(`/env/${name}`, Buffer.from(text), 0o600);
  return files;
}

test("the newest record comes first, and the last fifty stay", () => {
  const files = folder();
  for (let size = 1; size <= 52; size++) addBackupRecord(files, "/env", record({ size }));
  expect(backupRecords(files, "/env").map(({ size }) => size)).toEqual(Array.from({ length: 50 }, (_, n) => 52 - n));
  expect(files.stat("/env/.talosmith/backups.json")?.mode).toBe(0o600);
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["a text", "x"],
  ["without a time", { ...record(), at: 1 }],
  ["without a place", { ...record(), where: null }],
  ["without a hash", { ...record(), sha256: undefined }],
  ["without a size", { ...record(), size: "10" }],
  ["whose content is a text", { ...record(), content: "x" }],
  ["without content", { ...record(), content: null }],
])("a record %s is passed over, and the others count", (_, wrong) => {
  const files = folder();
  addBackupRecord(files, "/env", record());
  files.write("/env/.talosmith/backups.json", Buffer.from(JSON.stringify([wrong, record()])), 0o600);
  expect(backupRecords(files, "/env")).toEqual([record()]);
});

test.each(["{", "{}", ""])("a list of records that is damaged is an empty one: %j", (text) => {
  const files = folder();
  files.makeFolder("/env/.talosmith", 0o700);
  files.write("/env/.talosmith/backups.json", Buffer.from(text), 0o600);
  expect(backupState(files, "/env")).toEqual({ is: "missing" });
});

test("before there are secrets, nothing could be lost", () => {
  const files = folder();
  files.remove("/env/secrets.yaml");
  expect(backupState(files, "/env")).toEqual({ is: "needless" });
});

test("a backup is current while files that cannot be made again are as it has them", () => {
  const files = folder({ kubeconfig: "new", "wg-me.conf": "new", ".config.yaml.0123456789abcdef.new": "half" });
  expect(backupState(files, "/env")).toEqual({ is: "missing" });
  addBackupRecord(files, "/env", record());
  files.makeFolder("/env/charts", 0o700);
  expect(backupState(files, "/env")).toEqual({ is: "current", last: record() });
  files.write("/env/config.yaml", Buffer.from("changed"), 0o600);
  files.write("/env/age.agekey", Buffer.from("new"), 0o600);
  expect(backupState(files, "/env")).toEqual({ is: "old", last: record(), changed: ["age.agekey", "config.yaml"] });
});
