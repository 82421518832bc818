import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Duplex } from "node:stream";
import { remoteError, TalosmithError } from "../errors.ts";
import { Gate } from "../gate.ts";
import type { Dial, Trust, World } from "../world/world.ts";

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | BodyStream;
  signal?: AbortSignal;
  /** No answer within this time counts as lost; of a streamed body, since its last part was taken. */
  timeoutMs?: number;
}

/** A body that is never in memory as a whole. Its size is said beforehand: there are servers that refuse chunks. */
export interface BodyStream {
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface HttpAnswer {
  status: number;
  /** The reason phrase, which some servers use to say what is wrong. */
  reason: string;
  body: string;
}

export interface HttpOptions {
  trust: Trust;
  /** Who we are, where the server asks for it: both PEM. */
  certificate?: string;
  key?: string;
  /** Connections to the server at one time. */
  maxConnections: number;
  /** An idle connection is given up after this, before the server does it under our hands. */
  idleMs: number;
  /** So many calls, then another connection: some servers end one after that. */
  maxCallsPerConnection?: number;
}

/** How much was asked of the network; counted for the plan's last line and the benchmarks. */
export interface Meter {
  calls: number;
  bytes: number;
}

const TIMEOUT_MS = 60_000;
const MAX_BODY = 64 * 1024 * 1024;

/** HTTP to one server over connections that the World dials and checks: with the wrong certificate not one byte of a request leaves. */
export class HttpClient {
  readonly #agent: http.Agent;
  /** Node's own limit does not count connections that are still being dialled. */
  readonly #gate: Gate;
  readonly #url: URL;
  readonly #world: World;
  readonly #meter: Meter;

  constructor(world: World, url: string, options: HttpOptions, meter: Meter) {
    this.#world = world;
    this.#url = new URL(url);
    this.#meter = meter;
    this.#gate = new Gate(options.maxConnections);
    this.#agent = new DialingAgent(world, this.#url, options);
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    const leave = await this.#gate.enter(request.signal);
    this.#meter.calls++;
    const giveUp = new AbortController();
    const done = new AbortController();
    const clock = this.#world.clock;
    let progress = clock.monotonic();
    this.#patience(request.timeoutMs ?? TIMEOUT_MS, () => progress, done.signal).then(
      (reason) => giveUp.abort(reason),
      () => {},
    );
    const signal = request.signal ? AbortSignal.any([request.signal, giveUp.signal]) : giveUp.signal;
    try {
      const answer = await this.#send(request, signal, () => {
        progress = clock.monotonic();
      });
      this.#meter.bytes += answer.body.length;
      return answer;
    } catch (error) {
      request.signal?.throwIfAborted();
      throw this.#lost(request, giveUp.signal.aborted ? giveUp.signal.reason : error);
    } finally {
      done.abort();
      leave();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves when nothing has gone on for this long. */
  async #patience(limit: number, progress: () => number, signal: AbortSignal): Promise<Error> {
    for (;;) {
      const left = progress() + limit - this.#world.clock.monotonic();
      if (left <= 0) return new Error(`no answer within ${Math.round(limit / 1000)} s`);
      await this.#world.clock.sleep(left, signal);
    }
  }

  #send(request: HttpRequest, signal: AbortSignal, onProgress: () => void): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { body } = request;
      const size = body === undefined ? undefined : typeof body === "string" ? Buffer.byteLength(body) : body.size;
      const outgoing = http.request({
        agent: this.#agent,
        host: this.#url.hostname,
        port: portOf(this.#url),
        method: request.method,
        path: request.path,
        signal,
        headers: { ...request.headers, ...(size !== undefined && { "content-length": size }) },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        const parts: Buffer[] = [];
        let size = 0;
        incoming.on("data", (part: Buffer) => {
          size += part.length;
          if (size > MAX_BODY) outgoing.destroy(new Error(`the answer is larger than ${MAX_BODY} bytes`));
          parts.push(part);
        });
        incoming.on("error", reject);
        incoming.on("aborted", () => reject(new Error("the connection was cut in the middle of the answer")));
        incoming.on("end", () => {
          resolve({
            status: incoming.statusCode ?? 0,
            reason: incoming.statusMessage ?? "",
            body: Buffer.concat(parts).toString("utf8"),
          });
          if (!outgoing.writableEnded) outgoing.destroy();
        });
      });
      if (body === undefined || typeof body === "string") outgoing.end(body);
      // Whoever has answered already, with a refusal, takes no more of it.
      else pour(body, outgoing, onProgress).catch((error: unknown) => outgoing.destroy(error as Error));
    });
  }

  #lost(request: HttpRequest, error: unknown): TalosmithError {
    if (error instanceof TalosmithError) return error;
    const reason = error instanceof Error ? error.message : String(error);
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return remoteError(NEVER_SENT.has(code) ? "UNREACHABLE" : "CONNECTION_LOST", {
      message: `Unable to reach ${this.#url.host}: ${reason}`,
      detail: `${request.method} ${request.path.split("?")[0]}`,
      hint: `check that ${this.#url.origin} is the right address and can be reached from here`,
      cause: error,
      transient: true,
    });
  }
}

/** No faster than the server takes it. */
async function pour(body: BodyStream, into: http.ClientRequest, onProgress: () => void): Promise<void> {
  let answered = false;
  into.once("response", () => {
    answered = true;
  });
  for await (const part of body.open()) {
    if (answered || into.destroyed) return;
    if (!into.write(part)) await taken(into);
    onProgress();
  }
  into.end();
}

function taken(into: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "response", "close", "error"] as const;
    const go = () => {
      for (const event of events) into.removeListener(event, go);
      resolve();
    };
    for (const event of events) into.on(event, go);
  });
}

const NEVER_SENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"]);

function portOf(url: URL): number {
  if (url.port) return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Node takes the stream from the callback; its types want one here, and beside an error, too. */
const NO_STREAM = undefined as unknown as Duplex;

class DialingAgent extends http.Agent {
  readonly #world: World;
  readonly #url: URL;
  readonly #tls: NonNullable<Dial["tls"]>;
  /** A dial that is given up must not keep the process alive. */
  readonly #closing = new AbortController();
  readonly #maxCalls: number;
  readonly #calls = new WeakMap<Duplex, number>();

  constructor(world: World, url: URL, options: HttpOptions) {
    super({ keepAlive: true, timeout: options.idleMs });
    this.#world = world;
    this.#url = url;
    const { trust, certificate, key } = options;
    this.#maxCalls = options.maxCallsPerConnection ?? Number.POSITIVE_INFINITY;
    this.#tls = { trust, ...(certificate !== undefined && { certificate }), ...(key !== undefined && { key }) };
    setMaxListeners(0, this.#closing.signal);
  }

  override createConnection(_options: http.ClientRequestArgs, connected?: (error: Error | null, stream: Duplex) => void): Duplex {
    this.#dial().then(
      (socket) => connected?.(null, socket),
      (error: Error) => connected?.(error, NO_STREAM),
    );
    return NO_STREAM;
  }

  /** Asked by Node after every call. Its own answer is a boolean; its types say nothing. */
  override keepSocketAlive(socket: Duplex): boolean {
    const calls = (this.#calls.get(socket) ?? 0) + 1;
    this.#calls.set(socket, calls);
    return calls < this.#maxCalls && Boolean(super.keepSocketAlive(socket));
  }

  override destroy(): void {
    this.#closing.abort(new Error("closed"));
    super.destroy();
  }

  #dial(): Promise<Duplex> {
    const { hostname, protocol } = this.#url;
    const tls = protocol === "https:" ? { tls: this.#tls } : {};
    const to = { host: hostname.replace(/^\[|\]$/g, ""), port: portOf(this.#url), ...tls };
    return this.#world.net.dial(to, this.#closing.signal);
  }
}
