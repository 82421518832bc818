import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { selfSigned } from "../../../test/support/self-signed.ts";

import { realNet } from "./net.ts";
import type { Listener, Trust } from "./world.ts";

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

test("a dial uses the given local address", async () => {
  let from: string | undefined;
  const listener = await realNet.listen({ host: "127.0.0.1", port: 0 }, (socket) => {
    from = socket.remoteAddress;
    socket.end();
  });
  listeners.push(listener);
  const socket = await realNet.dial({ host: "127.0.0.1", port: listener.port, localAddress: "127.0.0.77" });
  await once(socket.resume(), "close");
  expect(from).toBe("127.0.0.77");
});

test("a connection that is not admitted is cut by plain listeners and web servers, and not handed on", async () => {
  let heard = 0;
  const admits = (remote: string) => remote === "127.0.0.77";
  const plain = await realNet.listen({ host: "127.0.0.1", port: 0, admits }, (socket) => {
    heard++;
    socket.end("hello");
  });
  const web = await realNet.serve({ host: "127.0.0.1", port: 0, admits }, (_, response) => {
    heard++;
    response.end("hello");
  });
  listeners.push(plain, web);
  const ask = async (port: number, localAddress?: string) => {
    const socket = await realNet.dial({ host: "127.0.0.1", port, ...(localAddress && { localAddress }) });
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (part) => (text += part));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await once(socket, "close");
    return text;
  };
  expect([await ask(plain.port), await ask(web.port), heard]).toEqual(["", "", 0]);
  expect(await ask(plain.port, "127.0.0.77")).toBe("hello");
  expect(await ask(web.port, "127.0.0.77")).toContain("hello");
});

test("a connection that is to meet silence is accepted and gets no data, from plain listeners and web servers", async () => {
  let heard = 0;
  const admits = () => "silent" as const;
  const plain = await realNet.listen({ host: "127.0.0.1", port: 0, admits }, () => void heard++);
  const web = await realNet.serve({ host: "127.0.0.1", port: 0, admits }, () => void heard++);
  listeners.push(plain, web);
  for (const { port } of [plain, web]) {
    const socket = await realNet.dial({ host: "127.0.0.1", port });
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect(once(socket, "data", { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: "ABORT_ERR" });
    expect(socket.closed).toBe(false);
    socket.destroy();
  }
  expect(heard).toBe(0);
});

test("a socket file is dialled by its path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "net-"));
  const server = createServer((socket) => socket.end("agent"));
  server.listen(join(folder, "socket"));
  await once(server, "listening");
  const socket = await realNet.dialFile(join(folder, "socket"));
  expect(String(await socket.toArray().then(Buffer.concat))).toBe("agent");
  server.close();
  rmSync(folder, { recursive: true });
  await expect(realNet.dialFile(join(folder, "socket"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a TLS server answers plain HTTP requests, and serves TLS with its current certificate", async () => {
  const authority = await selfSigned("first");
  const other = await selfSigned("second");
  let shown = authority;
  const listener = await realNet.serve(
    {
      host: "127.0.0.1",
      port: 0,
      tls: { ...authority, current: () => shown, plain: (_, response) => response.writeHead(301).end() },
    },
    (_, response) => response.end("hello"),
  );
  listeners.push(listener);
  const ask = async (tls?: { trust: { by: "ca"; pem: string } }) => {
    const socket = await realNet.dial({ host: "127.0.0.1", port: listener.port, ...(tls && { tls }) });
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    return String(await socket.toArray().then(Buffer.concat));
  };
  const by = (pem: string) => ({ trust: { by: "ca", pem } as const });
  expect(await ask()).toMatch(/^HTTP\/1\.1 301 /);
  expect(await ask(by(authority.certificate))).toContain("hello");
  shown = other;
  expect(await ask(by(other.certificate))).toContain("hello");
  await expect(ask(by(authority.certificate))).rejects.toThrow();
});

test("a connection with an Upgrade request is handed over; other requests are answered", async () => {
  const listener = await realNet.serve(
    {
      host: "127.0.0.1",
      port: 0,
      upgrade: (request, response, takeOver) => {
        if (request.headers.upgrade !== "echo") return void response.writeHead(400).end("no such protocol");
        const { socket, head } = takeOver();
        socket.end(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n${head.toString()}`);
      },
    },
    (_, response) => response.end("plain"),
  );
  listeners.push(listener);
  const said = async (request: string) => {
    const socket = await realNet.dial({ host: "127.0.0.1", port: listener.port });
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => parts.push(part)).write(request);
    await once(socket, "end");
    return Buffer.concat(parts).toString();
  };
  const head = "GET / HTTP/1.1\r\nHost: x\r\n";
  expect(await said(`${head}Connection: Upgrade\r\nUpgrade: echo\r\n\r\nfirst`)).toMatch(/Upgrade: echo\r\n\r\nfirst$/);
  expect(await said(`${head}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*no such protocol/);
  expect(await said(`${head}Connection: close\r\n\r\n`)).toMatch(/plain$/);
});

test("a server whose certificate is vouched for by neither the system nor the given CA is refused, and receives no request", async () => {
  const [own, other] = [await selfSigned("one"), await selfSigned("two")];
  let requests = 0;
  const server = await realNet.serve({ host: "127.0.0.1", port: 0, tls: own }, (_, response) => {
    requests++;
    response.end();
  });
  listeners.push(server);
  const dial = (trust: Trust) => realNet.dial({ host: "127.0.0.1", port: server.port, tls: { trust } });
  await expect(dial({ by: "system" })).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  await expect(dial({ by: "ca", pem: other.certificate })).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  (await dial({ by: "ca", pem: own.certificate })).destroy();
  expect(requests).toBe(0);
});
