import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/query-url-metadata";
const SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const imageUrl = () => `${bench.factory}/image/${SCHEMATIC}/v1.13.9/nocloud-amd64.qcow2`;

test("a host reports name, size and type of a file before its download", async () => {
  const seen = await bench.client.get("GET", AT, { url: imageUrl() });
  const image = await fetch(imageUrl());
  expect(seen).toEqual({
    filename: "nocloud-amd64.qcow2",
    size: (await image.arrayBuffer()).byteLength,
    mimetype: image.headers.get("content-type"),
  });
});

test("a missing file is refused with the server's error", async () => {
  const { status, reason } = await bench.client.call("GET", AT, { url: `${bench.factory}/nothing` });
  expect([status, reason]).toEqual([500, "invalid server response: '404 Not Found'"]);
});

test("an unreachable server is refused at once", async () => {
  const { status, reason } = await bench.client.call("GET", AT, { url: `http://${bench.lab.address.host(99)}:1/x.iso` });
  expect([status, reason]).toEqual([500, expect.stringContaining("invalid server response: '500 Can't connect to")]);
});

test("a user needs the right to use the host's network", async () => {
  const guest = await bench.userWith("guest", { "/nodes": "Sys.Audit" });
  expect((await guest.call("GET", AT, { url: imageUrl() })).reason).toBe("Permission check failed");
});
