import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { surveyServer } from "./look/survey-server.ts";
import { HETZNER_DEDICATED } from "./look/testing/hetzner-dedicated.ts";
import { recordedShell } from "./look/testing/recorded-shell.ts";
import { factsOf, readRecord, recordText, restartedRecord, takeoverRecord } from "./record.ts";

const survey = await surveyServer(recordedShell(HETZNER_DEDICATED), AbortSignal.timeout(10_000));
const [disk] = survey.disks;
if (disk === undefined) throw new Error("the recording has disks");

const begun = takeoverRecord({
  node: "vps-1",
  address: "203.0.113.11",
  survey,
  disk,
  held: "gpt with 2 partitions",
  hostKey: "SHA256:abc",
  saved: [
    { offset: 0, bytes: Buffer.alloc(34 * 512, 7) },
    { offset: disk.bytes - 33 * 512, bytes: Buffer.from([1, 2, 3]) },
  ],
  at: 1_800_000_000_000,
});

test("a record comes back as it was written, with the bytes of the tables", () => {
  expect(readRecord(recordText(begun))).toEqual(begun);
  const image = { sha256: "00ff", bytes: 5, way: "there", head: "more than is wanted" };
  const restarted = restartedRecord(begun, image, 1_800_000_100_000);
  const read = readRecord(recordText(restarted));
  expect(read).toEqual(restarted);
  expect(read).toMatchObject({ phase: "restarted", restartedAt: 1_800_000_100_000 });
  expect(read.saved[0]?.bytes.length).toBe(34 * 512);
});

test("it says how the server was connected, and what its disk was", () => {
  const text = recordText(begun);
  expect(JSON.parse(text)).toMatchObject({
    begunAt: "2027-01-15T08:00:00.000Z",
    phase: "begun",
    hostKey: "SHA256:abc",
    server: {
      firmware: "uefi",
      arch: "amd64",
      gateway: "203.0.113.1",
      cards: [{ mac: "A8:A1:59:0F:12:34", dhcp: true }],
      nameservers: ["185.12.64.1", "2a01:4ff:ff00::add:1"],
    },
    disk: { serial: "S675NX0T123456", wwid: "eui.002538b131b0c1a0", held: "gpt with 2 partitions" },
  });
});

test("the server is known again by what Talos will read from the same places", () => {
  expect(factsOf(begun)).toEqual({
    uuid: "5ca7c5a4-2f1b-11ec-8d3d-0242ac130003",
    macs: ["A8:A1:59:0F:12:34"],
    serial: "S675NX0T123456",
    wwid: "eui.002538b131b0c1a0",
  });
  const { talosSerial: _, ...unseen } = begun.disk;
  expect(factsOf({ ...begun, disk: unseen }).serial).toBeUndefined();
});

test("the card with the default route is the first of the MACs", () => {
  const other = { name: "eth9", mac: "AA:AA:AA:AA:AA:AA", addresses: [], dhcp: false };
  const two = { ...begun, server: { ...begun.server, cards: [other, ...begun.server.cards] } };
  expect(factsOf(two).macs).toEqual(["A8:A1:59:0F:12:34", "AA:AA:AA:AA:AA:AA"]);
});

test("a record that was changed by hand is refused, and the place is named", () => {
  const change = (edit: (record: Record<string, unknown>) => void) => {
    const json = JSON.parse(recordText(begun));
    edit(json);
    return () => readRecord(JSON.stringify(json), ".talosmith/takeover/vps-1/x.json");
  };
  expect(change((record) => Object.assign(record, { more: 1 }))).toThrow(/x\.json/);
  expect(change((record) => Object.assign(record, { phase: "done" }))).toThrow(/phase is damaged/);
  expect(change((record) => Object.assign(record, { phase: "restarted" }))).toThrow(/restartedAt is damaged/);
  expect(change((record) => Object.assign(record, { saved: [{ offset: 0, bytes: "*" }] }))).toThrow(/saved\.0\.bytes/);
  expect(() => readRecord("")).toThrow(TalosmithError);
});

test("no rubbish is taken for a record, and none is more than an error", () => {
  const text = recordText(begun);
  const cut = fc.nat(text.length - 3).map((at) => text.slice(0, at));
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), cut), (rubbish) => {
      expect(() => readRecord(rubbish)).toThrow(TalosmithError);
    }),
    { numRuns: 200 },
  );
});
