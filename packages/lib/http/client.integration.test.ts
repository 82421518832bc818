import { afterAll, expect, test } from "vitest";
import { realWorld } from "../world/real.ts";
import { type BodyStream, HttpClient } from "./client.ts";

/** A steady clock: time limits do not expire while the machine is busy with other work. */
const world = realWorld({ timeScale: 1 });
const listeners: { close(): Promise<void> }[] = [];
const options = { trust: { by: "system" } as const, maxConnections: 2, idleMs: 4000 };

afterAll(async () => {
  for (const listener of listeners) await listener.close();
});

async function server(answer: Parameters<typeof world.net.serve>[1]): Promise<string> {
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, answer);
  listeners.push(listener);
  return `http://127.0.0.1:${listener.port}`;
}

test("the reason phrase of a response is kept, because Proxmox puts error messages there", async () => {
  const url = await server((_, response) => {
    response.writeHead(500, "storage 'x' does not exist").end("{}");
  });
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  const answer = await client.request({ method: "GET", path: "/" });
  expect(answer).toMatchObject({ status: 500, reason: "storage 'x' does not exist", body: "{}" });
  client.close();
});

test("a connection cut during a call fails with a transient CONNECTION_LOST", async () => {
  const url = await server((request) => request.socket.destroy());
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  await expect(client.request({ method: "POST", path: "/", body: "a=1" })).rejects.toMatchObject({
    code: "CONNECTION_LOST",
    transient: true,
  });
  client.close();
});

test("a refused connection is UNREACHABLE, a lost response is CONNECTION_LOST", async () => {
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, () => {});
  await listener.close();
  const client = new HttpClient(world, `http://127.0.0.1:${listener.port}`, options, { calls: 0, bytes: 0 });
  await expect(client.request({ method: "GET", path: "/" })).rejects.toMatchObject({ code: "UNREACHABLE" });
  client.close();
});

test("no response within the time limit counts as lost", async () => {
  const url = await server(() => {});
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  await expect(client.request({ method: "GET", path: "/", timeoutMs: 50 })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  client.close();
});

test("no more than the allowed number of calls run at the same time", async () => {
  let now = 0;
  let most = 0;
  const url = await server((_, response) => {
    most = Math.max(most, ++now);
    void world.clock.sleep(10).then(() => {
      now--;
      response.end("ok");
    });
  });
  const meter = { calls: 0, bytes: 0 };
  const client = new HttpClient(world, url, options, meter);
  await Promise.all(Array.from({ length: 10 }, () => client.request({ method: "GET", path: "/" })));
  expect(most).toBe(2);
  expect(meter).toEqual({ calls: 10, bytes: 20 });
  client.close();
});

test("a host that does not accept the connection is unreachable after the dial limit", async () => {
  const error = Object.assign(new Error("no answer within 10 s"), { code: "EHOSTUNREACH" });
  const client = new HttpClient(
    { ...world, net: { ...world.net, dial: () => Promise.reject(error) } },
    "http://192.0.2.1",
    options,
    { calls: 0, bytes: 0 },
  );
  await expect(client.request({ method: "GET", path: "/" })).rejects.toMatchObject({
    code: "UNREACHABLE",
    message: "Unable to reach 192.0.2.1: no answer within 10 s",
  });
  client.close();
});

test("closing the client cancels a call that is still connecting", async () => {
  const silent = {
    ...world,
    net: {
      ...world.net,
      dial: (_: unknown, signal?: AbortSignal) =>
        new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    },
  };
  const client = new HttpClient(silent, "http://192.0.2.1", options, { calls: 0, bytes: 0 });
  const asked = client.request({ method: "GET", path: "/" });
  await world.clock.sleep(5);
  client.close();
  await expect(asked).rejects.toMatchObject({ kind: "remote" });
});

/** A body without end, and the number of parts taken from it. */
function endless(): { taken: () => number; body: BodyStream } {
  let parts = 0;
  return {
    taken: () => parts,
    body: {
      size: 1024 ** 4,
      async *open() {
        for (;;) {
          parts++;
          yield Buffer.alloc(64 * 1024);
        }
      },
    },
  };
}

test("a streamed body is sent with its length, and no faster than the server takes it", async () => {
  let received = 0;
  const url = await server(async (request, response) => {
    for await (const part of request) received += (part as Buffer).length;
    response.end(`${request.headers["content-length"]} ${request.headers["transfer-encoding"]}`);
  });
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  const body: BodyStream = {
    size: 3 * 100_000,
    async *open() {
      for (let i = 0; i < 3; i++) yield Buffer.alloc(100_000);
    },
  };
  expect((await client.request({ method: "POST", path: "/", body })).body).toBe("300000 undefined");
  expect(received).toBe(300_000);
  client.close();
});

test("a client that is refused before its body is read stops sending and gets the refusal", async () => {
  const url = await server((_, response) => {
    response.writeHead(403, "Permission check failed").end();
  });
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  const { body, taken } = endless();
  expect(await client.request({ method: "POST", path: "/", body })).toMatchObject({
    status: 403,
    reason: "Permission check failed",
  });
  const then = taken();
  await world.clock.sleep(20);
  expect(taken()).toBeLessThanOrEqual(then + 1);
  client.close();
});

test("a server that stops taking the body counts as lost; a slow one does not", async () => {
  const slow = await server(async (request, response) => {
    for await (const _ of request) await world.clock.sleep(30);
    response.end("whole");
  });
  const client = new HttpClient(world, slow, options, { calls: 0, bytes: 0 });
  const body: BodyStream = {
    size: 6,
    async *open() {
      for (let i = 0; i < 6; i++) {
        await world.clock.sleep(30);
        yield Buffer.from("x");
      }
    },
  };
  expect((await client.request({ method: "POST", path: "/", body, timeoutMs: 120 })).body).toBe("whole");
  client.close();
  const deaf = await server(() => {});
  const other = new HttpClient(world, deaf, options, { calls: 0, bytes: 0 });
  await expect(other.request({ method: "POST", path: "/", body: endless().body, timeoutMs: 100 })).rejects.toMatchObject({
    code: "CONNECTION_LOST",
  });
  other.close();
});

async function texts(parts: AsyncIterable<Uint8Array>): Promise<string[]> {
  const all: string[] = [];
  for await (const part of parts) all.push(Buffer.from(part).toString());
  return all;
}

test("a streamed response is read as it arrives, beside other calls, and its bytes are counted", async () => {
  const url = await server(async (request, response) => {
    if (request.url === "/other") return void response.end("other");
    response.writeHead(200, { "x-a": "1" }).write("one");
    await world.clock.sleep(20);
    response.end("two");
  });
  const meter = { calls: 0, bytes: 0 };
  const client = new HttpClient(world, url, { ...options, maxConnections: 1 }, meter);
  const { status, headers, parts } = await client.open({ method: "GET", path: "/" });
  expect([status, headers["x-a"]]).toEqual([200, "1"]);
  expect((await client.request({ method: "GET", path: "/other" })).body).toBe("other");
  expect((await texts(parts)).join("")).toBe("onetwo");
  expect(meter).toEqual({ calls: 2, bytes: 11 });
  client.close();
});

test("a streamed response that is cut or falls silent counts as lost; a slow reader does not", async () => {
  const url = await server((request, response) => {
    response.write("one", () => request.url === "/cut" && request.socket.destroy());
    if (request.url === "/whole") response.end("two");
  });
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  for (const path of ["/cut", "/silent"]) {
    const { parts } = await client.open({ method: "GET", path, timeoutMs: 300 });
    await expect(texts(parts)).rejects.toMatchObject({ code: "CONNECTION_LOST", transient: true });
  }
  const { parts } = await client.open({ method: "GET", path: "/whole", timeoutMs: 300 });
  let text = "";
  for await (const part of parts) {
    await world.clock.sleep(400);
    text += Buffer.from(part).toString();
  }
  expect(text).toBe("onetwo");
  client.close();
});

test("a reader that stops early releases the connection", async () => {
  let closed = () => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const url = await server((request, response) => {
    request.socket.once("close", () => closed());
    response.write("one");
  });
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  for await (const _ of (await client.open({ method: "GET", path: "/" })).parts) break;
  await gone;
  client.close();
});

test("a reader that is aborted at the first part of a complete response gets only the abort", async () => {
  const url = await server((_, response) => response.end("all there is"));
  const client = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
  const stop = new AbortController();
  const { parts } = await client.open({ method: "GET", path: "/", signal: stop.signal });
  const heard: string[] = [];
  for await (const part of parts) {
    heard.push(String(part));
    stop.abort(new Error("stopped"));
  }
  // An unhandled error event would end the process here.
  await world.clock.sleep(20);
  expect(heard).toEqual(["all there is"]);
  client.close();
});

test("a connection that is dropped during the TLS handshake counts as never sent", async () => {
  const listener = await world.net.listen({ host: "127.0.0.1", port: 0 }, (socket) => socket.destroy());
  listeners.push(listener);
  const client = new HttpClient(world, `https://127.0.0.1:${listener.port}`, options, { calls: 0, bytes: 0 });
  await expect(client.request({ method: "POST", path: "/", body: "x" })).rejects.toMatchObject({ code: "UNREACHABLE" });
  client.close();
});
