import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { selfSigned } from "../../../test/support/self-signed.ts";
import { realWorld } from "../world/real.ts";
import { HttpClient } from "./client.ts";
import { download } from "./download.ts";

/* Malicious servers: each call is cancelled with an error that names the server, and no forbidden redirect is followed. */

const world = realWorld();
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function server(answer: Parameters<typeof world.net.serve>[1]): Promise<string> {
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, answer);
  closing.push(() => listener.close());
  return `http://127.0.0.1:${listener.port}`;
}

function client(url: string): HttpClient {
  const made = new HttpClient(world, url, { trust: { by: "system" }, maxConnections: 2, idleMs: 4000 }, { calls: 0, bytes: 0 });
  closing.unshift(() => made.close());
  return made;
}

test("a response without end is cancelled and not kept in memory", async () => {
  const url = await server((_, response) => {
    const part = Buffer.alloc(1024 * 1024, "x");
    const more = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", more);
    more();
  });
  await expect(client(url).request({ method: "GET", path: "/" })).rejects.toMatchObject({
    kind: "remote",
    message: expect.stringContaining("larger than 64 MiB"),
    detail: "GET /",
  });
});

test("headers without end are cancelled", async () => {
  const url = await server((_, response) => {
    response.writeHead(200, { "x-flood": Array.from({ length: 400 }, () => "x".repeat(100)) }).end("{}");
  });
  await expect(client(url).request({ method: "GET", path: "/" })).rejects.toMatchObject({
    kind: "remote",
    code: "CONNECTION_LOST",
  });
});

test("a compressed body is not unpacked, because no call asks for compression", async () => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
  const url = await server((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  const { body } = await client(url).request({ method: "GET", path: "/" });
  expect(body.length).toBeLessThan(bomb.length + 1);
});

test("a call does not follow a redirect", async () => {
  let asked = 0;
  const elsewhere = await server((_, response) => {
    asked++;
    response.end();
  });
  const url = await server((_, response) => response.writeHead(302, { location: elsewhere }).end());
  expect((await client(url).request({ method: "GET", path: "/" })).status).toBe(302);
  expect(asked).toBe(0);
});

test.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "http://[::1", "data:text/plain,x", "http://"])(
  "a download does not follow a redirect to %s",
  async (location) => {
    const url = await server((_, response) => response.writeHead(302, { location }).end());
    const wish = {
      url,
      trust: { by: "system" },
      take: () => {},
      signal: AbortSignal.timeout(5_000),
      meter: { calls: 0, bytes: 0 },
    } as const;
    await expect(download(world, wish)).rejects.toMatchObject({
      kind: "remote",
      code: "DOWNLOAD",
      detail: expect.stringContaining("it redirects to"),
    });
  },
);

test("a download does not follow a redirect from HTTPS to HTTP", async () => {
  let asked = 0;
  const open = await server((_, response) => {
    asked++;
    response.end("another image");
  });
  const tls = await selfSigned("hostile");
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0, tls }, (_, response) =>
    response.writeHead(302, { location: open }).end(),
  );
  const wish = {
    url: `https://127.0.0.1:${listener.port}/image`,
    trust: { by: "ca", pem: tls.certificate },
    take: () => {},
    signal: AbortSignal.timeout(5_000),
    meter: { calls: 0, bytes: 0 },
  } as const;
  await expect(download(world, wish)).rejects.toMatchObject({ detail: expect.stringContaining("which is not HTTPS") });
  await listener.close();
  expect(asked).toBe(0);
});
