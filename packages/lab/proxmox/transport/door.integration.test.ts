import { once } from "node:events";
import type * as http from "node:http";
import * as https from "node:https";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expireTickets } from "../access/ticket.ts";
import { changeCertificate } from "../certificate.ts";
import type { Job } from "../jobs/job.ts";
import { tryLock, unlock } from "../jobs/lock.ts";
import { hostNamed, proxmoxState } from "../state.ts";
import { Bench } from "../testing/bench.ts";
import { send } from "../testing/raw-client.ts";

let bench: Bench;
let authorization: string;
beforeAll(async () => {
  bench = await Bench.open();
  authorization = `PVEAPIToken=${bench.lab.published().proxmox?.token}`;
});
afterAll(() => bench.close());

/** Sends raw bytes without TLS. */
async function plain(text: string): Promise<string> {
  const { hostname, port } = new URL(bench.url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  return String(await socket.toArray().then(Buffer.concat));
}

test.each([
  ["GET", "301 Moved Permanently"],
  ["POST", "308 Permanent Redirect"],
])("plain HTTP is redirected: %s with %s", async (method, status) => {
  const answer = await plain(`${method} /api2/json/version?a=1 HTTP/1.1\r\nHost: pve1:8006\r\nContent-Length: 0\r\n\r\n`);
  expect(answer).toContain(`HTTP/1.1 ${status}\r\n`);
  expect(answer).toContain("Location: https://pve1:8006/api2/json/version?a=1\r\n");
});

/** Sends requests on one connection, as long as it stays open. */
async function many(count: number): Promise<{ connections: number; last: http.IncomingMessage }> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const sockets = new Set<unknown>();
  let last: http.IncomingMessage | undefined;
  try {
    for (let n = 0; n < count; n++) {
      const request = https.get(`${bench.url}/api2/json/version`, { agent, headers: { authorization } });
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      sockets.add(request.socket);
      response.resume();
      await once(response, "end");
      last = response;
    }
  } finally {
    agent.destroy();
  }
  return { connections: sockets.size, last: last as http.IncomingMessage };
}

test("a connection serves a hundred requests", async () => {
  const { connections, last } = await many(100);
  expect(connections).toBe(1);
  expect(last.headers.connection).toBe("close");
});

test("before the last request, responses have Keep-Alive without a time-out", async () => {
  const { last } = await many(2);
  expect(last.headers.connection).toBe("Keep-Alive");
  expect(last.headers).not.toHaveProperty("keep-alive");
});

/** Proxmox also counts the empty line (AnyEvent.pm, unshift_read_header). */
test.each([
  ["too many headers", Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`x-${n}`, "1"]))],
  ["a head that is too large", { "x-large": "x".repeat(8 * 1024) }],
])("%s: no response, and the connection is dropped after a while", async (_, headers) => {
  await expect(send(bench.url, "GET", "/api2/json/version", { headers: { ...headers, authorization } })).rejects.toMatchObject({
    code: "ECONNRESET",
  });
});

test("HEAD is not supported by Proxmox", async () => {
  const answer = await send(bench.url, "HEAD", "/api2/json/version", { headers: { authorization } });
  expect([answer.status, answer.reason]).toEqual([501, "method 'HEAD' not available"]);
});

test("errors of the server itself are in the body, without a content type (pve-http-server 5.2)", async () => {
  const answer = await send(bench.url, "DELETE", "/api2/json/version", {
    headers: { authorization, "Content-Length": "2" },
    body: "{}",
  });
  expect([answer.status, answer.text]).toEqual([501, "Unexpected content for method 'DELETE'"]);
  expect(answer.headers).not.toHaveProperty("content-type");
});

test("an invalid JSON body with the JSON content type is a plain error, not a parameter error", async () => {
  const answer = await send(bench.url, "POST", "/api2/json/pools", {
    headers: { authorization, "Content-Type": "application/json", "Content-Length": "3" },
    body: "{a:",
  });
  expect([answer.status, answer.reason]).toEqual([500, expect.stringMatching(/^malformed JSON string/)]);
});

test("the query overrides the body, and a repeated key is a list", async () => {
  await bench.root.get("POST", "/pools", { poolid: "q" });
  const answer = await bench.root.raw("PUT", "/pools?poolid=q&comment=query", {
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "comment=body",
  });
  expect(answer.status).toBe(200);
  expect(await bench.root.get("GET", "/pools", { poolid: "q" })).toMatchObject([{ comment: "query" }]);
  const twice = await bench.root.call("GET", "/pools?poolid=q&poolid=r");
  expect(twice.body.errors).toEqual({ poolid: "type check ('string') failed - got ARRAY" });
});

test("a changed certificate is used for new connections", async () => {
  const print = async () => {
    const request = https.get(`${bench.url}/api2/json/access/domains`, { rejectUnauthorized: false, agent: false });
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    const { fingerprint256 } = (response.socket as import("node:tls").TLSSocket).getPeerCertificate();
    response.resume();
    return fingerprint256;
  };
  const before = await print();
  expect(before).toBe(bench.lab.published().proxmox?.fingerprint);
  await changeCertificate(bench.lab, "pve1");
  const after = await print();
  expect(after).not.toBe(before);
  expect(after).toBe(bench.lab.published().proxmox?.fingerprint);
  expect(hostNamed(proxmoxState(bench.lab), "pve1")?.tls?.certificate).toMatch(/^-----BEGIN CERTIFICATE/);
});

test("tickets can be expired", async () => {
  const body = "username=root@pam&password=bench-root";
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const { body: login } = await send(bench.url, "POST", "/api2/json/access/ticket", { headers, body });
  const person = bench.person({ Cookie: `PVEAuthCookie=${encodeURIComponent(login.data.ticket)}` });
  expect((await person.call("GET", "/version")).status).toBe(200);
  expireTickets(bench.lab);
  expect((await person.call("GET", "/version")).reason).toBe("Authentication failed!");
});

/** docs/facts/proxmox.md#connections */
test.each([
  [595, "No route to host"],
  [596, "Connection timed out"],
])("a fault can lose a call on its way to another host: %i %s", async (status, message) => {
  bench.lab.setFaults([{ site: "GET /nodes/:node/qemu", fault: { kind: "refuse", status, message } }]);
  const answer = await bench.client.call("GET", "/nodes/pve2/qemu");
  bench.lab.setFaults([]);
  expect([answer.status, answer.reason, answer.text]).toEqual([status, message, ""]);
});

test("a fault can end a task with warnings after its work is done", async () => {
  bench.lab.setFaults([{ site: "POST /nodes/:node/qemu", fault: { kind: "task-error", message: "WARNINGS: 2" } }]);
  const upid = await bench.client.get("POST", "/nodes/pve1/qemu", { vmid: 700 });
  bench.lab.setFaults([]);
  const end = await bench.client.end(upid);
  expect(end.exitstatus).toBe("WARNINGS: 2");
  expect(end.log.filter((line) => line.startsWith("WARN: "))).toHaveLength(2);
  expect(end.log.at(-1)).toBe("TASK WARNINGS: 2");
  expect(await bench.client.get("GET", "/nodes/pve1/qemu/700/config")).not.toHaveProperty("lock");
});

test("a fault can kill a task without a last line", async () => {
  bench.lab.setFaults([{ site: "POST /nodes/:node/qemu", fault: { kind: "task-error", message: "unexpected status" } }]);
  const upid = await bench.client.get("POST", "/nodes/pve1/qemu", { vmid: 701 });
  bench.lab.setFaults([]);
  const end = await bench.client.end(upid);
  expect(end.exitstatus).toBe("unexpected status");
  expect(end.log.join("\n")).not.toContain("TASK");
});

test("a call that takes longer than thirty seconds times out at the proxy, and continues behind it", async () => {
  const slow = await Bench.open({ timeScale: 20 });
  try {
    await slow.client.task("POST", "/nodes/pve1/qemu", { vmid: 100 });
    const path = "/var/lock/qemu-server/lock-100.conf";
    const holder = { id: -1, node: "pve1", holds: [path] } as unknown as Job;
    slow.lab.turn(() => tryLock(proxmoxState(slow.lab), holder, path, false));
    const slots = { ide: 4, sata: 6, scsi: 31, virtio: 16 };
    const disks = Object.entries(slots).flatMap(([bus, count]) => Array.from({ length: count }, (_, n) => `${bus}${n}`));
    const form = Object.fromEntries(disks.map((disk) => [disk, "local-lvm:1"]));
    const call = slow.client.call("PUT", "/nodes/pve1/qemu/100/config", form);
    await slow.lab.sleep(4000);
    slow.lab.turn(() => unlock(slow.lab, proxmoxState(slow.lab), holder, path));
    const answer = await call;
    expect([answer.status, answer.reason, answer.text]).toEqual([596, "Connection timed out", ""]);
    await expect.poll(async () => Object.keys(await slow.client.get("GET", "/nodes/pve1/qemu/100/config"))).toContain("virtio15");
  } finally {
    await slow.close();
  }
});
