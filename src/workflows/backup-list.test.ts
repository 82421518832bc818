import { Redactor } from "@talosmith/lib/secret.ts";
import { beforeEach, expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import type { VolatileFiles } from "../../test/support/volatile-files.ts";
import { EventBus } from "../engine/bus.ts";
import type { Event } from "../engine/event.ts";
import { addBackupRecord } from "../environment/backup/records.ts";
import { folderInMemory, put, sha256 } from "../environment/backup/testing/folder-in-memory.ts";
import { listBackups, listBackupsIn } from "./backup-list.ts";

let files: VolatileFiles;
let events: Event[];
beforeEach(() => {
  files = folderInMemory("/env", { "secrets.yaml": "secrets" });
  events = [];
});

function session() {
  const world = testWorld({ files });
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  bus.listen((event) => events.push(event));
  return { world, bus, redactor, signal: new AbortController().signal, mayMutate: () => {} };
}
const tables = () => events.flatMap((event) => (event.type === "result" && event.result.kind === "table" ? [event.result] : []));

function record(at: string, where: string, size: number): void {
  const content = { "secrets.yaml": sha256("secrets") };
  addBackupRecord(files, "/env", { at, where, sha256: sha256("archive"), size, content });
}

test("the backups of a folder are listed newest first, and those that are gone are marked", async () => {
  put(files, "/kept", { "one.age": "x" });
  record("2026-11-16T00:00:00Z", "/kept/one.age", 1024);
  record("2026-11-17T00:00:00Z", "/kept/two.age", 1025);
  record("2026-11-18T00:00:00Z", "s3://kept/three.age", 1);
  record("2026-11-19T00:00:00Z", "S3://kept/four.age", 1);
  expect(await listBackups(session(), "/env")).toBe(0);
  expect(tables()).toMatchObject([
    {
      name: "backups",
      rows: [
        { at: "2026-11-19T00:00:00Z", size: "1 KiB", where: "S3://kept/four.age" },
        { at: "2026-11-18T00:00:00Z", size: "1 KiB", where: "s3://kept/three.age" },
        { at: "2026-11-17T00:00:00Z", size: "2 KiB", where: "/kept/two.age (no longer there)" },
        { at: "2026-11-16T00:00:00Z", size: "1 KiB", where: "/kept/one.age" },
      ],
      footer: [],
    },
  ]);
});

test("what changed since the last backup is named below its list", async () => {
  record("2026-11-16T00:00:00Z", "s3://kept/one.age", 1);
  put(files, "/env", { "secrets.yaml": "changed", "config.yaml": "new" });
  await listBackups(session(), "/env");
  expect(tables()[0]?.footer).toEqual(["changed since the last backup: config.yaml, secrets.yaml"]);
});

test("a folder without backups has an empty list", async () => {
  await listBackups(session(), "/env");
  expect(tables()).toMatchObject([{ rows: [], empty: "/env was never backed up", footer: [] }]);
});

test("backups that are kept in a folder are listed with their dates and sizes", async () => {
  files.now = Date.UTC(2026, 10, 16, 9, 30, 1, 234);
  put(files, "/kept", { "one.age": "x".repeat(1025), "two.txt": "x" });
  expect(await listBackupsIn(session(), "/kept", {})).toBe(0);
  expect(tables()).toMatchObject([{ rows: [{ at: "2026-11-16T09:30:01Z", size: "2 KiB", where: "/kept/one.age" }] }]);
});
