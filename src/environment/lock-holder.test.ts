import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type Holder, isSilent, lockedBy, lookAtHolder, readHolder } from "./lock-holder.ts";

const LOCK = "/env/.talosmith/lock";
const NONCE = "00000000000000aa";
const HOLDER: Holder = {
  ...testWorld().processes.self(),
  command: "up",
  since: "2026-11-18T20:14:03.000Z",
  nonce: NONCE,
};

/** A lock's folder with one file. */
function locked(content?: string, name = `${NONCE}.json`): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder(LOCK, 0o700);
  if (content !== undefined) files.write(`${LOCK}/${name}`, Buffer.from(content), 0o600);
  return files;
}

test("the record of a lock is read from its folder, whatever other files are there", () => {
  const files = locked(JSON.stringify(HOLDER));
  files.write(`${LOCK}/.nfs000000001`, Buffer.from("…"), 0o600);
  files.write(`${LOCK}/taken-over`, Buffer.from(""), 0o600);
  expect(readHolder(files, LOCK)).toEqual(HOLDER);
});

test.each<[string, VolatileFiles]>([
  ["that does not exist", new VolatileFiles()],
  ["that is empty", locked()],
])("a lock %s has no holder", (_, files) => {
  expect(readHolder(files, LOCK)).toBeUndefined();
});

test("a lock whose record goes while it is read has no holder", () => {
  const files = locked(JSON.stringify(HOLDER));
  files.read = () => undefined;
  expect(readHolder(files, LOCK)).toBeUndefined();
});

test("a lock folder that another process creates between two looks has no holder yet", () => {
  const files = new VolatileFiles();
  files.stat = () => ({ kind: "folder", size: 0, mode: 0o700, modifiedMs: 0 });
  expect(readHolder(files, LOCK)).toBeUndefined();
});

test.each(["host", "bootId", "pidNamespace", "machineId", "nonce"] as const)("a record without a %s is unreadable", (key) => {
  expect(readHolder(locked(JSON.stringify({ ...HOLDER, [key]: undefined })), LOCK)).toBe("unreadable");
  expect(readHolder(locked(JSON.stringify({ ...HOLDER, [key]: 7 })), LOCK)).toBe("unreadable");
});

test("a file in the place of the folder is unreadable", () => {
  const files = new VolatileFiles();
  files.makeFolder("/env/.talosmith", 0o700);
  files.write(LOCK, Buffer.from(JSON.stringify(HOLDER)), 0o600);
  expect(readHolder(files, LOCK)).toBe("unreadable");
});

test.each<[string, VolatileFiles]>([
  ["a record under another nonce", locked(JSON.stringify(HOLDER), "00000000000000bb.json")],
  ["a folder without a record", locked("", "taken-over")],
  ["a record that is cut off", locked(JSON.stringify(HOLDER).slice(0, 40))],
])("%s is unreadable", (_, files) => {
  expect(readHolder(files, LOCK)).toBe("unreadable");
});

test("the last sign of life is the date of the record; a record that has just gone counts as active", () => {
  const files = locked(JSON.stringify(HOLDER));
  files.now = 5_000;
  files.touch(`${LOCK}/${NONCE}.json`);
  const world = testWorld({ files });
  expect(lookAtHolder(world, "/env", HOLDER, 12_000)).toEqual({ holder: HOLDER, state: "alive", silentMs: 7_000 });
  files.remove(`${LOCK}/${NONCE}.json`);
  expect(lookAtHolder(world, "/env", HOLDER, 12_000).silentMs).toBe(0);
});

test.each([
  [0, false],
  [59_999, false],
  [60_000, true],
  [-59_999, false],
  [-60_000, true],
])("after %d ms without a sign of life a holder is silent: %s", (silentMs, silent) => {
  expect(isSilent({ holder: HOLDER, state: "unknown", silentMs })).toBe(silent);
});

test.each([
  [-60_001, "dated in the future"],
  [-60_000, "0 s ago"],
  [-1, "0 s ago"],
  [999, "0 s ago"],
  [1_000, "1 s ago"],
  [59_999, "59 s ago"],
  [60_000, "1 min ago"],
  [3_599_999, "59 min ago"],
  [3_600_000, "1 h ago"],
  [86_399_999, "23 h ago"],
  [86_400_000, "1 day ago"],
  [172_799_999, "1 day ago"],
  [172_800_000, "2 days ago"],
])("a holder that was silent for %d ms was last active: %s", (silentMs, words) => {
  expect(lockedBy("/env", { holder: HOLDER, state: "unknown", silentMs })).toMatchObject({
    code: "LOCKED",
    detail: `talosmith up, process 4711 on here, since 2026-11-18T20:14:03.000Z; last active: ${words}`,
  });
});

test.each([
  ["alive", 0, "Ctrl-C"],
  ["alive", 60_000, "Ctrl-C"],
  ["unknown", 59_999, "wait one minute"],
  ["unknown", 60_000, "talosmith cannot check from here"],
  ["unknown", -60_000, "talosmith cannot check from here"],
] as const)("the hint for a holder that is %s and silent for %d ms says: %s", (state, silentMs, words) => {
  expect(lockedBy("/env", { holder: HOLDER, state, silentMs })).toMatchObject({ hint: expect.stringContaining(words) });
});
