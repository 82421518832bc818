import * as http from "node:http";
import { messageOf, remoteError, TalosmithError } from "../errors.ts";
import type { Trust, World } from "../world/world.ts";
import type { Meter } from "./client.ts";

export interface Download {
  url: string;
  trust: Trust;
  /** Receives every part as it arrives: nothing is buffered here. */
  take(part: Uint8Array): void;
  signal: AbortSignal;
  meter: Meter;
}

const REDIRECTS = 10;
/** How long a server may send nothing, also in the middle of a file. */
const SILENCE_MS = 5 * 60_000;

/** Downloads one large file over its own connection and follows redirects. Resolves with the number of bytes, all of which have been taken. */
export async function download(world: World, wish: Download): Promise<number> {
  let url = new URL(wish.url);
  for (let hop = 0; ; hop++) {
    const next = await hopTo(world, url, wish);
    if (typeof next === "number") return next;
    if (hop === REDIRECTS) throw failed(url, `it redirected more than ${REDIRECTS} times`, false);
    url = ledTo(next, url);
  }
}

/** Resolves a redirect: any HTTP(S) address, but never from HTTPS to HTTP. */
function ledTo(location: string, from: URL): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:")) return to;
  throw failed(
    from,
    `it redirects to ${to === undefined ? "an invalid address" : `${to.protocol}//${to.host}, which is not HTTPS`}`,
    false,
  );
}

/** Follows one hop: resolves with the size of the file, or with the address of a redirect. */
async function hopTo(world: World, url: URL, wish: Download): Promise<number | string> {
  wish.meter.calls++;
  const stop = new AbortController();
  const signal = AbortSignal.any([wish.signal, stop.signal]);
  const over = new AbortController();
  let heard = world.clock.monotonic();
  const patience = async () => {
    for (let left = SILENCE_MS; left > 0; left = heard + SILENCE_MS - world.clock.monotonic())
      await world.clock.sleep(left, over.signal);
    stop.abort(new Error("it sends no more data"));
  };
  patience().catch(() => {});
  try {
    const answer = await asked(world, url, wish.trust, signal);
    const { statusCode = 0, statusMessage = "", headers } = answer;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      answer.destroy();
      return headers.location;
    }
    if (statusCode !== 200) {
      answer.destroy();
      throw failed(url, `it answered ${statusCode} ${statusMessage}`, statusCode >= 500 || statusCode === 429);
    }
    let size = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      heard = world.clock.monotonic();
      size += part.length;
      wish.take(part);
    }
    wish.meter.bytes += size;
    const promised = headers["content-length"];
    if (promised !== undefined && Number(promised) !== size) throw failed(url, `only ${size} of ${promised} bytes arrived`, true);
    return size;
  } catch (error) {
    wish.signal.throwIfAborted();
    if (error instanceof TalosmithError) throw error;
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    throw failed(url, messageOf(reason), true, error);
  } finally {
    over.abort();
    stop.abort();
  }
}

async function asked(world: World, url: URL, trust: Trust, signal: AbortSignal): Promise<http.IncomingMessage> {
  const secure = url.protocol === "https:";
  const socket = await world.net.dial(
    {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (secure ? 443 : 80),
      ...(secure && { tls: { trust } }),
    },
    signal,
  );
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, connection: "close", "accept-encoding": "identity" };
    const options = { createConnection: () => socket, method: "GET", path: `${url.pathname}${url.search}`, headers, signal };
    const request = http.request(options, resolve);
    request.on("error", reject);
    request.end();
  });
}

function failed(url: URL, why: string, transient: boolean, cause?: unknown): TalosmithError {
  return remoteError("DOWNLOAD", {
    message: `Unable to download ${url.origin}${url.pathname}`,
    detail: why,
    hint: `check that ${url.origin} can be reached from here`,
    transient,
    ...(cause !== undefined && { cause }),
  });
}
