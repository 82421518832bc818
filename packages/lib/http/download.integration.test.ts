import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { realWorld } from "../world/real.ts";
import { download } from "./download.ts";

const world = realWorld();
const listeners: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const listener of listeners) await listener.close();
});

async function server(answer: Parameters<typeof world.net.serve>[1]): Promise<string> {
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, answer);
  listeners.push(listener);
  return `http://127.0.0.1:${listener.port}`;
}

function fetching(url: string, signal = new AbortController().signal) {
  const hash = createHash("sha256");
  const meter = { calls: 0, bytes: 0 };
  const take = (part: Uint8Array) => void hash.update(part);
  return { size: download(world, { url, trust: { by: "system" }, take, signal, meter }), hash, meter };
}

test("a file arrives in parts and complete, also through a redirect", async () => {
  const bytes = Buffer.alloc(3_000_000, 7);
  const store = await server((_, response) => response.writeHead(200, { "content-length": bytes.length }).end(bytes));
  const url = await server((_, response) => response.writeHead(302, { location: `${store}/there` }).end());
  const { size, hash, meter } = fetching(`${url}/here`);
  expect(await size).toBe(bytes.length);
  expect(hash.digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(meter).toEqual({ calls: 2, bytes: bytes.length });
});

test("a truncated download fails and is transient", async () => {
  const url = await server((_, response) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write(Buffer.alloc(10), () => response.destroy());
  });
  await expect(fetching(url).size).rejects.toMatchObject({ code: "DOWNLOAD", transient: true });
});

test("a file that the server does not have fails and is not transient", async () => {
  const url = await server((_, response) => response.writeHead(404, "Not Found").end());
  await expect(fetching(url).size).rejects.toMatchObject({ detail: "it answered 404 Not Found", transient: false });
});

test("a download stops after too many redirects", async () => {
  const url = await server((_, response) => response.writeHead(302, { location: "/again" }).end());
  await expect(fetching(url).size).rejects.toMatchObject({ code: "DOWNLOAD", detail: "it redirected more than 10 times" });
});

test("an aborted download rejects with the reason of the abort, not with a failure", async () => {
  const stop = new AbortController();
  const url = await server((_, response) => {
    response.writeHead(200);
    response.write("x", () => stop.abort(new Error("interrupted")));
  });
  await expect(fetching(url, stop.signal).size).rejects.toThrow("interrupted");
});
