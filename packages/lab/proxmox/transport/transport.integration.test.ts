import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";
import { send } from "../testing/raw-client.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

test("the reason phrase is the first line of the error, and the body repeats it with a newline", async () => {
  const answer = await bench.client.call("GET", "/nodes/pve1/qemu/100/config");
  expect(answer.status).toBe(500);
  expect(answer.reason).toBe("Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist");
  expect(answer.body).toEqual({
    data: null,
    message: "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist\n",
  });
});

test("a successful response has Proxmox's headers", async () => {
  const { headers } = await bench.client.call("GET", "/version");
  expect(headers.server).toBe("pve-api-daemon/3.0");
  expect(headers["cache-control"]).toBe("max-age=0");
  expect(headers.pragma).toBe("no-cache");
  expect(headers["content-type"]).toBe("application/json;charset=UTF-8");
});

test("every error closes the connection", async () => {
  expect((await bench.client.call("GET", "/nothing")).headers.connection).toBe("close");
});

test("an unknown path is not implemented, never 404", async () => {
  const answer = await bench.client.call("GET", "/foo");
  expect([answer.status, answer.reason]).toEqual([501, "Method 'GET /foo' not implemented"]);
});

test("an unknown method on a known path is not implemented", async () => {
  const answer = await bench.client.call("PUT", "/version");
  expect([answer.status, answer.reason]).toEqual([501, "Method 'PUT /version' not implemented"]);
});

test("an HTTP method unknown to Proxmox is not available", async () => {
  const answer = await bench.client.raw("PATCH", "/version");
  expect([answer.status, answer.reason, answer.text]).toEqual([501, "method 'PATCH' not available", ""]);
});

test.each(["GET", "DELETE"])("a body on %s is unexpected", async (method) => {
  const answer = await bench.client.raw(method, "/version", { headers: { "Content-Length": "2" }, body: "{}" });
  expect([answer.status, answer.reason]).toEqual([501, `Unexpected content for method '${method}'`]);
});

test("a chunked body is refused", async () => {
  const answer = await bench.client.raw("POST", "/pools", { headers: { "Transfer-Encoding": "chunked" }, body: "poolid=a" });
  expect([answer.status, answer.reason]).toEqual([501, "chunked transfer encoding not supported"]);
});

test("a body of more than 512 KiB is too large", async () => {
  const answer = await bench.client.call("POST", "/pools", { comment: "x".repeat(513 * 1024) });
  expect([answer.status, answer.reason]).toEqual([501, "for data too large"]);
});

test("a body that is neither form nor JSON is answered 506", async () => {
  const answer = await bench.client.raw("POST", "/pools", {
    headers: { "Content-Type": "text/yaml", "Content-Length": "1" },
    body: "a",
  });
  expect(answer.status).toBe(506);
});

test("an unknown formatter has no uri", async () => {
  const answer = await send(bench.url, "GET", "/api2");
  expect([answer.status, answer.reason]).toEqual([501, "no such uri"]);
});

test("an unsupported formatter is refused after authentication", async () => {
  const headers = { Authorization: `PVEAPIToken=${bench.lab.published().proxmox?.token}` };
  const answer = await send(bench.url, "GET", "/api2/yaml/version", { headers });
  expect([answer.status, answer.reason]).toEqual([501, "no formatter for uri /version, yaml"]);
});

test("paths outside the API are files, which the lab does not have", async () => {
  const answer = await send(bench.url, "GET", "/version");
  expect([answer.status, answer.reason]).toEqual([500, "no such file '/version'"]);
});

test("the extjs formatter answers 200 with the result in the body", async () => {
  const headers = { Authorization: `PVEAPIToken=${bench.lab.published().proxmox?.token}` };
  const answer = await send(bench.url, "GET", "/api2/extjs/nodes/pve1/qemu/100/config", { headers });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ success: 0, status: 500, data: null });
});

test('a request without credentials gets "No ticket", with an empty body, after three seconds', async () => {
  const before = bench.lab.now();
  const answer = await send(bench.url, "GET", "/api2/json/version");
  expect([answer.status, answer.reason, answer.text]).toEqual([401, "No ticket", ""]);
  expect(bench.lab.now() - before).toBeGreaterThanOrEqual(3000);
});

test.each([
  "talosmith@pve!lab=00000000-0000-0000-0000-000000000000",
  "talosmith@pve!other=00000000-0000-0000-0000-000000000000",
  "nobody@pve!lab=00000000-0000-0000-0000-000000000000",
])("all invalid tokens get the same error: %s", async (token) => {
  const answer = await bench.person({ Authorization: `PVEAPIToken=${token}` }).call("GET", "/version");
  expect([answer.status, answer.reason, answer.text]).toEqual([401, "Authentication failed!", ""]);
});

test("a blank may replace the first = of a token", async () => {
  const token = bench.lab.published().proxmox?.token;
  expect((await bench.person({ Authorization: `PVEAPIToken ${token}` }).call("GET", "/version")).status).toBe(200);
});

test("a call that is both forbidden and malformed is forbidden", async () => {
  const powerless = await bench.userWith("powerless", {});
  const answer = await powerless.call("POST", "/nodes/pve1/qemu/100/status/start", { bogus: 1 });
  expect([answer.status, answer.reason]).toEqual([403, "Permission check failed (/vms/100, VM.PowerMgmt)"]);
});

test("a call for an unknown host fails with its name", async () => {
  const answer = await bench.client.call("GET", "/nodes/pve9/qemu", { bogus: 1 });
  expect([answer.status, answer.reason]).toEqual([
    500,
    "hostname lookup 'pve9' failed - failed to get address info for: pve9: Name or service not known",
  ]);
});

test("localhost is the host that received the call, and privileges are checked for that name", async () => {
  expect((await bench.client.call("GET", "/nodes/localhost/qemu")).status).toBe(200);
  const user = await bench.userWith("ofpve1", { "/nodes/pve1": "Sys.Audit" });
  expect((await user.call("GET", "/nodes/pve1/status")).status).toBe(200);
  const answer = await user.call("GET", "/nodes/localhost/status");
  expect([answer.status, answer.reason]).toEqual([403, "Permission check failed (/nodes/localhost, Sys.Audit)"]);
});

test("a parameter that contradicts the path is refused", async () => {
  const answer = await bench.client.call("PUT", "/nodes/pve1/qemu/100/config", { vmid: 101 });
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toEqual({
    vmid: "duplicate parameter (already defined in URI) with conflicting values!",
  });
});

test.each([
  ["gzip, deflate", "gzip"],
  ["deflate", "deflate"],
  ["br", undefined],
])("a long response is compressed for clients that accept it: %s gets %s", async (accepted, encoding) => {
  const answer = await bench.client.raw("GET", "/access/roles", { headers: { "Accept-Encoding": accepted } });
  expect(answer.headers["content-encoding"]).toBe(encoding);
});

test("every host of the cluster answers, each with its own certificate", async () => {
  const hosts = await bench.client.get("GET", "/nodes");
  const prints = new Set(hosts.map((host: { ssl_fingerprint: string }) => host.ssl_fingerprint));
  expect(prints.size).toBe(3);
  const status = await bench.client.get("GET", "/cluster/status");
  const other = status.find((entry: { name: string }) => entry.name === "pve2");
  const answer = await send(`https://${other.ip}:8006`, "GET", "/api2/json/cluster/status", {
    headers: { Authorization: `PVEAPIToken=${bench.lab.published().proxmox?.token}` },
  });
  expect(answer.body.data.find((entry: { local?: number }) => entry.local === 1).name).toBe("pve2");
});
