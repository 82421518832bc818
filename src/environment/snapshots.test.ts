import { createHash } from "node:crypto";
import { decryptAge } from "@talosmith/lib/age/crypt.ts";
import { createAgeIdentity } from "@talosmith/lib/age/identity.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { keepSnapshot, keptSnapshots, shownSnapshot, timeOfSnapshot } from "./snapshots.ts";

const SNAPSHOTS = "/env/.talosmith/snapshots";
const PLAIN = { recipients: [], progress: () => {} };

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
const NOON = Date.UTC(2026, 10, 18, 12);

/** A snapshot as etcd sends it: pages, and their SHA-256. */
function snapshot(pages = 3): Buffer {
  const database = Buffer.from(Array.from({ length: pages * 4096 }, (_, index) => index % 251));
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

async function* inPieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a snapshot is kept as it came, readable by its owner alone, and survives a power cut", async () => {
  const files = folder();
  const path = await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
  expect(path).toBe(`${SNAPSHOTS}/2026-11-18T12-00-00.db`);
  expect(Buffer.from(files.afterCrash().read(path) ?? [])).toEqual(snapshot());
  expect(files.stat(path)?.mode).toBe(0o600);
  expect(files.stat(SNAPSHOTS)?.mode).toBe(0o700);
});

test.each([
  ["cut off in the middle", snapshot().subarray(0, 5000), "it ended after 5000 bytes, without its checksum"],
  ["cut off between two pages", snapshot().subarray(0, 8192), "it ended after 8192 bytes, without its checksum"],
  ["empty", Buffer.alloc(0), "it ended after 0 bytes, without its checksum"],
  ["cut off 32 bytes behind a page", snapshot().subarray(0, 4096 + 32), "its checksum is wrong"],
  ["changed in one bit", Buffer.from(snapshot().map((byte, index) => (index === 77 ? byte ^ 1 : byte))), "its checksum is wrong"],
])("a snapshot that is %s is an error, and nothing of it stays", async (_, bytes, why) => {
  const files = folder();
  const kept = keepSnapshot(worldAt(files, NOON), "/env", inPieces(bytes), PLAIN);
  await expect(kept).rejects.toMatchObject({
    code: "SNAPSHOT_DAMAGED",
    message: `The snapshot of etcd is incomplete or damaged: ${why}`,
    transient: true,
  });
  expect(files.list(SNAPSHOTS)).toEqual([]);
});

test("the pieces may end anywhere", async () => {
  for (const size of [1, 31, 32, 33, 4096, 100_000]) {
    const files = folder();
    await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot(1), size), PLAIN);
    expect(files.list(SNAPSHOTS)).toHaveLength(1);
  }
});

test("a database of one page of the smallest size is complete, and one of half a page is not", async () => {
  const checked = (size: number) => {
    const database = Buffer.alloc(size, "x");
    return Buffer.concat([database, createHash("sha256").update(database).digest()]);
  };
  const keep = (size: number) => keepSnapshot(worldAt(folder(), NOON), "/env", inPieces(checked(size)), PLAIN);
  await expect(keep(512)).resolves.toBeDefined();
  for (const size of [256, 511, 513]) await expect(keep(size)).rejects.toMatchObject({ code: "SNAPSHOT_DAMAGED" });
});

test("an environment without snapshots has none, and a snapshot leaves earlier ones in place", async () => {
  const files = folder();
  expect(keptSnapshots(files, "/env")).toEqual([]);
  for (let n = 1; n <= 5; n++) {
    await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
    expect(keptSnapshots(files, "/env")).toHaveLength(n);
  }
});

test("snapshots are listed by their time and number, encrypted or not", () => {
  const files = folder();
  files.makeFolder(SNAPSHOTS, 0o700);
  const names = ["2026-11-18T12-00-00.db", "2026-11-18T12-00-00.9.db.age", "2026-11-18T12-00-00.10.db", "2026-11-19T12-00-00.db"];
  for (const name of [...names].sort()) files.write(`${SNAPSHOTS}/${name}`, Buffer.from(""), 0o600);
  expect(keptSnapshots(files, "/env")).toEqual(names);
});

test.each([
  ["2026-11-18T12-00-00.db", NOON],
  ["2026-11-18T12-00-00.2.db.age", NOON],
  ["2026-11-18T12-00-00", undefined],
  ["2026-11-18T12-00-00.db.new", undefined],
  ["before-the-upgrade.db", undefined],
])("%s is a snapshot of the time %s", (name, time) => {
  expect(timeOfSnapshot(name)).toBe(time);
});

test("a snapshot is shown by the path that the user typed", () => {
  expect(shownSnapshot({ shown: "environments/homelab" }, "x.db")).toBe("environments/homelab/.talosmith/snapshots/x.db");
});

test("an oldest snapshot that cannot be removed is no error: the new one is complete", async () => {
  const files = folder();
  for (let n = 0; n < 5; n++) await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
  const remove = files.remove.bind(files);
  files.remove = (path) => {
    if (path.endsWith(".db")) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    remove(path);
  };
  await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
  expect(keptSnapshots(files, "/env")).toHaveLength(6);
});

test("the last five stay, in the order in which they were taken", async () => {
  const files = folder();
  // The clock does not advance, so names are numbered.
  for (let n = 0; n < 7; n++) await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
  const stamp = "2026-11-18T12-00-00";
  expect(keptSnapshots(files, "/env")).toEqual([3, 4, 5, 6, 7].map((n) => `${stamp}.${n}.db`));
});

test("files of killed runs are removed, and other files stay", async () => {
  const files = folder();
  files.makeFolder("/env/.talosmith", 0o700);
  files.makeFolder(SNAPSHOTS, 0o700);
  files.write(`${SNAPSHOTS}/.2026-11-17T12-00-00.db.0123456789abcdef.new`, Buffer.from("half"), 0o600);
  files.write(`${SNAPSHOTS}/before-the-upgrade.db`, Buffer.from("a person's"), 0o600);
  await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), PLAIN);
  expect(files.list(SNAPSHOTS)).toEqual(["2026-11-18T12-00-00.db", "before-the-upgrade.db"]);
  expect(keptSnapshots(files, "/env")).toEqual(["2026-11-18T12-00-00.db"]);
});

test("with recipients it is encrypted, and their key opens it", async () => {
  const files = folder();
  const identity = createAgeIdentity(testWorld().random);
  const spec = { ...PLAIN, recipients: [identity.recipient] };
  const path = await keepSnapshot(worldAt(files, NOON), "/env", inPieces(snapshot()), spec);
  expect(path).toBe(`${SNAPSHOTS}/2026-11-18T12-00-00.db.age`);
  const sealed = Buffer.from(files.read(path) ?? []);
  expect(sealed.includes(snapshot().subarray(0, 64))).toBe(false);
  const opened: Uint8Array[] = [];
  for await (const part of await decryptAge(inPieces(sealed), { identities: [identity.secret] })) opened.push(part);
  expect(Buffer.concat(opened)).toEqual(snapshot());
});

test("a wrong checksum is noticed in an encrypted one, too", async () => {
  const files = folder();
  const spec = { ...PLAIN, recipients: [createAgeIdentity(testWorld().random).recipient] };
  const bytes = inPieces(snapshot().subarray(0, 9000));
  await expect(keepSnapshot(worldAt(files, NOON), "/env", bytes, spec)).rejects.toMatchObject({ code: "SNAPSHOT_DAMAGED" });
  expect(files.list(SNAPSHOTS)).toEqual([]);
});

test("progress is reported", async () => {
  const told: number[] = [];
  const spec = { ...PLAIN, progress: (bytes: number) => void told.push(bytes) };
  await keepSnapshot(worldAt(folder(), NOON), "/env", inPieces(snapshot(1), 2000), spec);
  expect(told).toEqual([2000, 4000, 4128]);
});

test("a full disk is explained, and leaves no half file", async () => {
  const files = folder();
  const full = failingFiles(files, { at: 2, code: "ENOSPC", only: /\.new$/ });
  const kept = keepSnapshot(worldAt(full, NOON), "/env", inPieces(snapshot()), PLAIN);
  await expect(kept).rejects.toMatchObject({ code: "DISK_FULL" });
  expect(files.list(SNAPSHOTS)).toEqual([]);
});

test("a snapshot of several mebibytes is kept whole, in few writes however small the pieces are", async () => {
  const files = folder();
  const append = files.append.bind(files);
  let writes = 0;
  files.append = (...written) => {
    writes++;
    append(...written);
  };
  const bytes = snapshot(640);
  const path = await keepSnapshot(worldAt(files, NOON), "/env", inPieces(bytes, 10_000), PLAIN);
  expect(Buffer.from(files.read(path) ?? []).equals(bytes)).toBe(true);
  expect(writes).toBe(3);
});

const MEBIBYTE = 1024 ** 2;

test.each([
  ["pieces that add up to a mebibyte are one write", [MEBIBYTE - 1, 1, MEBIBYTE - 1, 1], [MEBIBYTE, MEBIBYTE, 32]],
  ["a piece below a mebibyte waits for the next one", [MEBIBYTE - 1, MEBIBYTE, 1], [2 * MEBIBYTE - 1, 33]],
  ["a last piece of one byte is written", [2 * MEBIBYTE + 31], [2 * MEBIBYTE + 31, 1]],
])("%s", async (_, pieces, writes) => {
  const files = folder();
  const database = Buffer.alloc(2 * MEBIBYTE, "x");
  const bytes = Buffer.concat([database, createHash("sha256").update(database).digest()]);
  async function* sent() {
    let at = 0;
    for (const size of pieces) {
      yield bytes.subarray(at, at + size);
      at += size;
    }
    yield bytes.subarray(at);
  }
  const append = files.append.bind(files);
  const written: number[] = [];
  files.append = (path, data, mode) => {
    written.push(data.length);
    append(path, data, mode);
  };
  const path = await keepSnapshot(worldAt(files, NOON), "/env", sent(), PLAIN);
  expect(written.filter((size) => size > 0)).toEqual(writes);
  expect(Buffer.from(files.read(path) ?? []).equals(bytes)).toBe(true);
});
