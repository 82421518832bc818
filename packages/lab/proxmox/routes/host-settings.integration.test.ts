import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Behaviour of pve-manager's API2/Nodes.pm, read in its source. */
let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

test("/etc/hosts is read with its digest, and replaced when the digest still matches", async () => {
  const { data, digest } = await bench.root.get("GET", "/nodes/pve2/hosts");
  expect(data).toContain(`${bench.lab.address.host(1)} pve1.lab.internal pve1\n`);
  expect(digest).toBe(createHash("sha1").update(data).digest("hex"));
  const next = `${data}# more\n10.0.0.9 nas.home.arpa nas\n`;
  expect(await bench.root.get("POST", "/nodes/pve2/hosts", { data: next, digest })).toBeNull();
  expect((await bench.root.get("GET", "/nodes/pve2/hosts")).data).toBe(next);
  expect((await bench.root.get("GET", "/nodes/pve1/hosts")).data).toBe(data);
  expect((await bench.root.call("POST", "/nodes/pve2/hosts", { data, digest })).reason).toBe(
    "detected modified configuration - file changed by other user? Try again.",
  );
});

test.each([
  ["10.0.0 nas\n", { data: "Invalid IP '10.0.0'" }],
  ["10.0.0.9 n_s\n", { data: "Invalid Hostname 'n_s'" }],
])("the line %j is refused", async (data, errors) => {
  const answer = await bench.root.call("POST", "/nodes/pve3/hosts", { data });
  expect([answer.status, answer.body.errors]).toEqual([400, errors]);
});

test("name servers can be set with the necessary right", async () => {
  const looker = await bench.userWith("looker", { "/nodes/pve1": "Sys.Audit" });
  expect(await looker.get("GET", "/nodes/pve1/dns")).toEqual({ search: "lab.internal", dns1: bench.lab.address.host(250) });
  expect((await looker.call("PUT", "/nodes/pve1/dns", { search: "x" })).status).toBe(403);
  await bench.root.get("PUT", "/nodes/pve1/dns", { search: "home.arpa", dns1: "10.0.0.1", dns2: "fd00::1" });
  expect(await looker.get("GET", "/nodes/pve1/dns")).toEqual({ search: "home.arpa", dns1: "10.0.0.1", dns2: "fd00::1" });
  expect((await bench.root.call("PUT", "/nodes/pve1/dns", { search: "x", dns1: "y" })).body.errors).toEqual({
    dns1: "invalid format - value does not look like a valid IP address\n",
  });
});

test("a time zone changes only the local time", async () => {
  expect(await bench.root.get("GET", "/nodes/pve1/time")).toMatchObject({ timezone: "UTC" });
  expect(await bench.root.get("PUT", "/nodes/pve1/time", { timezone: "Asia/Kolkata" })).toBeNull();
  const { timezone, time, localtime } = await bench.root.get("GET", "/nodes/pve1/time");
  expect([timezone, localtime - time]).toEqual(["Asia/Kolkata", 19_800]);
  expect((await bench.root.call("PUT", "/nodes/pve1/time", { timezone: "Mars/Base" })).body.errors).toEqual({
    timezone: "No such timezone",
  });
});
