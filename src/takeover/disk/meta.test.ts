import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ADV_BYTES, readAdv, writeAdv } from "./adv.ts";
import type { DiskWrite } from "./disk-write.ts";
import { metaRange, withMeta } from "./meta.ts";
import { NETWORK_KEY, networkMeta, type SeedNetwork } from "./network-meta.ts";
import { talosTable } from "./testing/talos-table.ts";

const NETWORK: SeedNetwork = {
  hostname: "vps-1",
  mac: "52:54:00:AB:CD:EF",
  addresses: [{ ip: "203.0.113.11", prefix: 24, gateway: "203.0.113.1" }],
  nameservers: [],
  timeServers: [],
};

const written = (meta: Buffer, values: [number, string][]) => (withMeta(talosTable(), meta, new Map(values)) as [DiskWrite])[0];
const textsIn = (partition: Buffer) => [...readAdv(partition)].map(([key, value]) => [key, value.toString("utf8")]);

test("values are as Talos's own library (go-adv 1.0.0) writes them", () => {
  const { bytes } = written(Buffer.alloc(ADV_BYTES), [[NETWORK_KEY, "addresses: []\n"]]);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    "35eab33054e6b2b0fe828cc8a254b1195a4950d1ad03809d45bbf9a6c25a8da3",
  );
});

test("they go to the beginning of the partition META", () => {
  // EFI 2200 MiB, BIOS 1 MiB and BOOT 2000 MiB are before it.
  expect(metaRange(talosTable())).toEqual({ offset: 4202 * 1024 * 1024, length: ADV_BYTES });
  expect(written(Buffer.alloc(ADV_BYTES), []).offset).toBe(4202 * 1024 * 1024);
});

test("existing values stay, and one is replaced", () => {
  const before = written(Buffer.alloc(ADV_BYTES), [
    [12, "kept"],
    [10, "old"],
  ]).bytes;
  expect(textsIn(written(before, [[10, "new"]]).bytes)).toEqual([
    [10, "new"],
    [12, "kept"],
  ]);
});

test("any values are read back from either copy, and none from two damaged ones", () => {
  const values = fc.dictionary(fc.integer({ min: 1, max: 255 }).map(String), fc.string({ maxLength: 300 }), { maxKeys: 5 });
  fc.assert(
    fc.property(values, fc.nat(ADV_BYTES / 2 - 1), (given, place) => {
      const texts = Object.entries(given).map(([key, value]) => [Number(key), value] as [number, string]);
      const bytes = writeAdv(new Map(texts.map(([key, value]) => [key, Buffer.from(value, "utf8")])));
      const expected = texts.sort(([a], [b]) => a - b);
      for (const damaged of [place, place + ADV_BYTES / 2]) {
        bytes[damaged] = (bytes[damaged] ?? 0) ^ 0xff;
        expect(textsIn(bytes)).toEqual(damaged === place ? expected : []);
      }
    }),
    { numRuns: 20 },
  );
});

test("values that do not fit and invalid keys are internal errors", () => {
  const meta = Buffer.alloc(ADV_BYTES);
  expect(() => written(meta, [[10, "x".repeat(ADV_BYTES / 2)]])).toThrow("do not fit");
  expect(() => written(meta, [[0, "x"]])).toThrow("it does not exist");
});

test("a table without META is refused", () => {
  expect(() => metaRange(Buffer.alloc(17_408))).toThrow("it is missing");
});

test("the network names the card by its MAC, which is a name it has in Talos whatever it is called there", () => {
  expect(parse(networkMeta(NETWORK))).toEqual({
    addresses: [
      {
        address: "203.0.113.11/24",
        linkName: "enx525400abcdef",
        family: "inet4",
        scope: "global",
        flags: "permanent",
        layer: "platform",
      },
    ],
    links: [{ name: "enx525400abcdef", up: true, layer: "platform" }],
    routes: [
      {
        family: "inet4",
        gateway: "203.0.113.1",
        scope: "global",
        outLinkName: "enx525400abcdef",
        table: "main",
        priority: 1024,
        type: "unicast",
        protocol: "static",
        layer: "platform",
      },
    ],
    hostnames: [{ hostname: "vps-1", layer: "platform" }],
  });
});

test("a gateway outside of the network is first made reachable on the link", () => {
  const routesTo = (ip: string, prefix: number, gateway: string) =>
    parse(networkMeta({ ...NETWORK, addresses: [{ ip, prefix, gateway }] })).routes.map(
      ({ dst, gateway, scope }: Record<string, string>) => [dst, gateway, scope],
    );
  expect(routesTo("203.0.113.11", 32, "172.31.1.1")).toEqual([
    ["172.31.1.1/32", undefined, "link"],
    [undefined, "172.31.1.1", "global"],
  ]);
  expect(routesTo("2001:db8::2", 128, "2001:db8:ffff::1")).toEqual([
    ["2001:db8:ffff::1/128", undefined, "link"],
    [undefined, "2001:db8:ffff::1", "global"],
  ]);
  expect(routesTo("2001:db8::2", 64, "fe80::1")).toEqual([[undefined, "fe80::1", "global"]]);
});

test("a name with a domain is written in Talos's form", () => {
  expect(parse(networkMeta({ ...NETWORK, hostname: "a.example.org" })).hostnames).toEqual([
    { hostname: "a", domainname: "example.org", layer: "platform" },
  ]);
});
