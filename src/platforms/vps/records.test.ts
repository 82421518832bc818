import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { isSameDisk, Records } from "./records.ts";
import { BLANK, DEBIAN, RESCUE } from "./testing/server-bench.ts";

const FOLDER = "/env/.talosmith/takeover/vps-1";
const begun = { node: "vps-1", address: "203.0.113.11", survey: RESCUE, disk: DEBIAN, held: "Debian", hostKey: "SHA256:k" };
const table = (text: string) => [{ offset: 0, bytes: Buffer.from(text) }];

test("each takeover has a record of its own, the last one counts, and none is written over", () => {
  const world = { ...testWorld(), clock: { ...testWorld().clock, now: () => Date.parse("2026-11-16T12:00:00Z") } };
  const records = new Records("/env");
  for (const text of ["first", "second", "third"]) records.open(world, begun).keep(table(text));
  expect(world.files.list(FOLDER)).toEqual([
    "2026-11-16T12-00-00.000.json",
    "2026-11-16T12-00-00.001.json",
    "2026-11-16T12-00-00.002.json",
  ]);
  expect(records.last(world, "vps-1")?.saved[0]?.bytes.toString()).toBe("third");
});

test("that the server was restarted is noted in the same record", () => {
  const world = testWorld();
  const records = new Records("/env");
  const record = records.open(world, begun);
  record.keep(table("as it was"));
  expect(records.history(world, "vps-1").is).toBe("a part");
  record.restarting({ sha256: "f".repeat(64) });
  expect(records.history(world, "vps-1")).toMatchObject({ is: "starting", record: { saved: table("as it was") } });
  expect(world.files.list(FOLDER)).toHaveLength(1);
});

test("an outdated record is kept, but not used", () => {
  const world = testWorld();
  const records = new Records("/env");
  records.open(world, begun).keep(table("as it was"));
  records.end(world, "vps-1");
  expect(records.history(world, "vps-1")).toEqual({ is: "nothing" });
  expect(world.files.list(FOLDER)).toHaveLength(1);
  records.end(world, "never-seen");
});

test("a modified record is refused", () => {
  const world = testWorld();
  const records = new Records("/env");
  records.open(world, begun).keep(table("as it was"));
  const path = `${FOLDER}/${world.files.list(FOLDER)?.[0]}`;
  world.files.remove(path);
  world.files.create(path, Buffer.from("{}"), 0o600);
  expect(() => records.last(world, "vps-1")).toThrowError(expect.objectContaining({ code: "TAKEOVER_RECORD" }));
});

test.each([
  [{ ...BLANK }, true],
  [{ ...BLANK, path: "/dev/sdb" }, true],
  [{ ...BLANK, serial: "another" }, false],
  [{ ...BLANK, bytes: 1 }, false],
])("the same disk is known by its serial and size (%#)", (disk, same) => {
  const world = testWorld();
  const records = new Records("/env");
  records.open(world, begun).keep(table(""));
  const record = records.last(world, "vps-1");
  expect(record && isSameDisk(record, disk)).toBe(same);
});

test("a server that was restarted is not waited for until the clock, set back since, has caught up", () => {
  const world = testWorld();
  const records = new Records("/env");
  const record = records.open(world, begun);
  record.keep(table("as it was"));
  record.restarting({ sha256: "f".repeat(64) });
  records.rescueOrdered(world, "vps-1");
  const back = { ...world, clock: { ...world.clock, now: () => Date.now() - 30 * 86_400_000 } };
  expect(records.history(back, "vps-1").is).toBe("all");
  expect(records.entersRescue(back, "vps-1")).toBe(false);
  expect(records.entersRescue(world, "vps-1")).toBe(true);
});

test("the last record counts although the clock was set back meanwhile", () => {
  let now = Date.parse("2026-11-16T12:00:00Z");
  const world = { ...testWorld(), clock: { ...testWorld().clock, now: () => now } };
  const records = new Records("/env");
  for (const text of ["first", "second", "third"]) {
    records.open(world, begun).keep(table(text));
    now -= 3_600_000;
  }
  expect(world.files.list(FOLDER)).toHaveLength(3);
  expect(records.last(world, "vps-1")?.saved[0]?.bytes.toString()).toBe("third");
});
