import { expect, test } from "vitest";
import { takeoverRecord } from "../../takeover/record.ts";
import { plainVpsNode } from "./config/testing/plain-node.ts";
import { knownFacts } from "./known-facts.ts";
import { DEBIAN, RESCUE } from "./testing/server-bench.ts";

const node = (own: object = {}) => plainVpsNode({ name: "vps-1", role: "worker", ip: "203.0.113.11", ...own });
const record = (disk = DEBIAN) =>
  takeoverRecord({
    ...{ node: "vps-1", address: "203.0.113.11", survey: RESCUE, disk, held: "", hostKey: "SHA256:k", saved: [] },
    at: 0,
  });
const ALL = { address: "203.0.113.11", uuid: RESCUE.uuid, mac: "02:00:00:00:00:01", diskSerial: "VPS-0001" };

test("facts recorded at the takeover identify a server", () => {
  expect(knownFacts(node(), record())).toEqual(ALL);
  expect(knownFacts(node({ mac: "02:00:00:00:00:01", installDisk: { serial: "VPS-0001" } }), record())).toEqual(ALL);
});

test("a serial that Talos does not see is not asked of it", () => {
  const { talosSerial: _, ...virtio } = DEBIAN;
  expect(knownFacts(node({ installDisk: { serial: "VPS-0001" } }), record(virtio))?.diskSerial).toBeUndefined();
});

test("a server that was exchanged since is known by the config alone", () => {
  expect(knownFacts(node({ installDisk: { serial: "VPS-0009" } }), record())).toEqual({
    address: "203.0.113.11",
    diskSerial: "VPS-0009",
  });
  expect(knownFacts(node({ mac: "02:00:00:00:00:09" }), record())).toEqual({ address: "203.0.113.11", mac: "02:00:00:00:00:09" });
});

test("neither missing facts nor a pattern for many serials identify a server", () => {
  expect(knownFacts(node(), undefined)).toBeUndefined();
  expect(knownFacts(node({ installDisk: "/dev/sda" }), undefined)).toBeUndefined();
  expect(knownFacts(node({ installDisk: { serial: "VPS-*" } }), undefined)).toBeUndefined();
});
