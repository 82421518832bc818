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
  body?: string;
  signal?: AbortSignal;
  /** No answer within this time counts as lost. */
  timeoutMs?: number;
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
    const limit = request.timeoutMs ?? TIMEOUT_MS;
    const done = new AbortController();
    this.#world.clock.sleep(limit, done.signal).then(
      () => giveUp.abort(new Error(`no answer within ${Math.round(limit / 1000)} s`)),
      () => {},
    );
    const signal = request.signal ? AbortSignal.any([request.signal, giveUp.signal]) : giveUp.signal;
    try {
      const answer = await this.#send(request, signal);
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

  #send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const body = request.body === undefined ? undefined : Buffer.from(request.body);
      const outgoing = http.request({
        agent: this.#agent,
        host: this.#url.hostname,
        port: portOf(this.#url),
        method: request.method,
        path: request.path,
        signal,
        headers: { ...request.headers, ...(body && { "content-length": body.length }) },
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
        incoming.on("end", () =>
          resolve({
            status: incoming.statusCode ?? 0,
            reason: incoming.statusMessage ?? "",
            body: Buffer.concat(parts).toString("utf8"),
          }),
        );
      });
      outgoing.end(body);
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

  constructor(world: World, url: URL, options: HttpOptions) {
    super({ keepAlive: true, timeout: options.idleMs });
    this.#world = world;
    this.#url = url;
    const { trust, certificate, key } = options;
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
