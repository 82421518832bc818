import type { Socket } from "node:net";
import type { World } from "@talosmith/lib/world/world.ts";

export interface Download {
  status: number;
  reason: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

interface Manner {
  /** GET when absent. */
  method?: "HEAD";
  verify: boolean;
  signal: AbortSignal;
}

const REDIRECTS = 20;

/** Downloads as wget does on a Proxmox host: one request per connection, redirects followed. */
export async function httpGet(world: World, url: string, options: Manner): Promise<Download> {
  let next = url;
  for (let hop = 0; ; hop++) {
    const target = new URL(next);
    const answer = parseAnswer(await exchange(world, target, options), options.method === "HEAD");
    const location = answer.headers.location;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    if (hop === REDIRECTS) throw new Error(`${REDIRECTS} redirections exceeded`);
    next = new URL(location, target).href;
  }
}

async function exchange(world: World, url: URL, options: Manner): Promise<Buffer> {
  const secure = url.protocol === "https:";
  const socket = await world.net.dial(
    {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (secure ? 443 : 80),
      ...(secure && { tls: { trust: { by: options.verify ? ("system" as const) : ("nobody" as const) } } }),
    },
    options.signal,
  );
  const stop = () => socket.destroy();
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    socket.write(
      `${options.method ?? "GET"} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUser-Agent: Wget/1.25.0\r\n` +
        "Accept: */*\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n",
    );
    return await readAll(socket);
  } finally {
    options.signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

async function readAll(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

function parseAnswer(bytes: Buffer, headOnly: boolean): Download {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) throw new Error("the connection was closed before an answer came");
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const [, status = "", reason = ""] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first) ?? [];
  if (status === "") throw new Error("no HTTP answer");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  if (headOnly) return { status: Number(status), reason, headers, body: Buffer.alloc(0) };
  const rest = bytes.subarray(end + 4);
  const body = headers["transfer-encoding"]?.toLowerCase() === "chunked" ? unchunk(rest) : rest;
  const promised = headers["content-length"];
  if (promised !== undefined && Number(promised) !== body.length) throw new Error("the connection was closed too early");
  return { status: Number(status), reason, headers, body };
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const length = end === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    if (Number.isNaN(length) || end + 2 + length > bytes.length) throw new Error("the connection was closed too early");
    if (length === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
