import type { FileStat, ProcessIdentity } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { sweep } from "./sweep.ts";

const STATE = "/env/.talosmith";
const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TEMPORARY = ".secrets.yaml.0123456789abcdef.new";

/** Puts a file there that was last written so long ago. */
function put(files: VolatileFiles, path: string, ageMs: number, text = "…"): void {
  const at = path.slice(0, path.lastIndexOf("/"));
  files.now = NOW - ageMs;
  files.makeFolder(at, 0o700);
  files.write(path, Buffer.from(text), 0o600);
}

/** A folder with the record of a lock. */
function putLock(files: VolatileFiles, name: string, ageMs: number, self: Partial<ProcessIdentity> = {}): void {
  const nonce = "000000000000000a";
  const holder = { ...testWorld().processes.self(), ...self, nonce, command: "up", since: "" };
  put(files, `${STATE}/${name}/${nonce}.json`, ageMs, JSON.stringify(holder));
}

const swept = (files: VolatileFiles) => sweep(testWorld({ files, alive: [2] }), "/env", NOW);

test.each([
  "/env",
  STATE,
  `${STATE}/copies`,
  `${STATE}/snapshots`,
  `${STATE}/runs/2026-01-01T00-00-00`,
  `${STATE}/takeover/worker-1`,
  `${STATE}/takeover/worker-2`,
])("a temporary file of a killed command is removed from %s when it is more than a minute old", (folder) => {
  for (const [age, left] of [
    [MINUTE + 1, []],
    [MINUTE, [TEMPORARY]],
  ] as const) {
    const files = new VolatileFiles();
    put(files, `${folder}/${TEMPORARY}`, age);
    swept(files);
    expect(files.list(folder)?.filter((name) => name === TEMPORARY)).toEqual(left);
  }
});

test("of the runs only the last one is searched, the last by its time and number", () => {
  const files = new VolatileFiles();
  const runs = ["2026-01-01T00-00-00.9", "2026-01-01T00-00-00.10", "2025-01-01T00-00-00"];
  for (const run of runs) put(files, `${STATE}/runs/${run}/${TEMPORARY}`, HOUR);
  swept(files);
  expect(runs.map((run) => files.list(`${STATE}/runs/${run}`)?.length)).toEqual([1, 0, 1]);
});

test.each(["secrets.yaml", ".secrets.yaml.new", "notes.new"])("an old file called %s stays", (name) => {
  const files = new VolatileFiles();
  for (const folder of ["/env", STATE]) put(files, `${folder}/${name}`, 24 * HOUR);
  swept(files);
  expect([files.list("/env"), files.list(STATE)]).toEqual([[".talosmith", name].sort(), [name]]);
});

test("a folder and a link with a temporary name stay", () => {
  const files = new VolatileFiles();
  put(files, `/env/${TEMPORARY}/file`, HOUR);
  put(files, `${STATE}/${TEMPORARY}`, HOUR);
  files.linkTarget = (path?: string) => (path === `${STATE}/${TEMPORARY}` ? "/elsewhere" : undefined);
  swept(files);
  expect([files.list(`/env/${TEMPORARY}`), files.list(STATE)]).toEqual([["file"], [TEMPORARY]]);
});

test("a file that vanishes while it is looked at is no error", () => {
  const files = new VolatileFiles();
  put(files, `/env/${TEMPORARY}`, HOUR);
  const stat = files.stat.bind(files);
  files.stat = (path): FileStat | undefined => (path.endsWith(".new") ? undefined : stat(path));
  expect(() => swept(files)).not.toThrow();
});

test("half downloaded images are removed at any age: only the holder of the lock downloads", () => {
  const files = new VolatileFiles();
  put(files, `${STATE}/upload-talos.raw.xz`, 0);
  put(files, `${STATE}/images.json`, 24 * HOUR);
  swept(files);
  expect(files.list(STATE)).toEqual(["images.json"]);
});

test.each<[string, boolean, string, number, Partial<ProcessIdentity>]>([
  ["prepared by a dead process", false, "lock.000000000000000a", 0, { pid: 1 }],
  ["prepared by a living process", true, "lock.000000000000000a", HOUR, { pid: 2 }],
  ["prepared by a living process more than an hour ago", false, "lock.000000000000000a", HOUR + 1, { pid: 2 }],
  ["prepared on another machine", true, "lock.000000000000000a", HOUR, { bootId: "b", machineId: "m" }],
  ["released by a process that has ended", true, "lock.was-000000000000000a", HOUR, { pid: 1 }],
  ["released more than an hour ago", false, "lock.was-000000000000000a", HOUR + 1, { pid: 1 }],
])("a lock folder %s stays: %s", (_, stays, name, age, self) => {
  const files = new VolatileFiles();
  putLock(files, name, age, self);
  swept(files);
  expect(files.list(STATE)).toEqual(stays ? [name] : []);
});

test.each(["{", undefined])("a young lock folder whose record is %j stays, because its process is not known", (text) => {
  const files = new VolatileFiles();
  files.now = NOW;
  files.makeFolder(`${STATE}/lock.000000000000000a`, 0o700);
  if (text !== undefined) put(files, `${STATE}/lock.000000000000000a/000000000000000a.json`, 0, text);
  swept(files);
  expect(files.list(STATE)).toEqual(["lock.000000000000000a"]);
});

test("the lock itself stays, however old", () => {
  const files = new VolatileFiles();
  putLock(files, "lock", 24 * HOUR, { pid: 1 });
  swept(files);
  expect(files.list(STATE)).toEqual(["lock"]);
});

test("a folder without any state is swept without an error", () => {
  expect(() => swept(new VolatileFiles())).not.toThrow();
});
