import * as http from "node:http";
import { remoteError, TalosmithError } from "../errors.ts";
import { Gate } from "../gate.ts";
import type { Trust, World } from "../world/world.ts";
import { DialingAgent, portOf, wasCutWhileDialled } from "./dialing-agent.ts";
import { unreachable } from "./unreachable.ts";

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | BodyStream;
  signal?: AbortSignal;
  /** A call without response within this time counts as lost; for a streamed body the time starts with the last part taken. */
  timeoutMs?: number;
}

/** A body that is never in memory as a whole. Its size is sent first: some servers refuse chunked encoding. */
export interface BodyStream {
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface HttpAnswer {
  status: number;
  /** The reason phrase, which some servers use to say what is wrong. */
  reason: string;
  body: string;
  headers?: http.IncomingHttpHeaders;
}

/** A response whose body is read as it arrives. Read it to the end or abort its signal: until then its connection is occupied. */
export interface HttpStream {
  status: number;
  reason: string;
  headers: http.IncomingHttpHeaders;
  /** Rejects when the connection is lost, or silent for too long. */
  parts: AsyncIterable<Uint8Array>;
}

export interface HttpOptions {
  trust: Trust;
  /** A client certificate, where the server asks for one: both PEM. */
  certificate?: string;
  key?: string;
  /** Maximum number of simultaneous connections to the server. */
  maxConnections: number;
  /** An idle connection is closed after this time, before the server closes it. */
  idleMs: number;
  /** Maximum number of calls per connection: some servers close it after that many. */
  maxCallsPerConnection?: number;
}

/** Calls and bytes sent over the network; shown in the plan's last line and in the benchmarks. */
export interface Meter {
  calls: number;
  bytes: number;
}

const TIMEOUT_MS = 60_000;
const MAX_BODY = 64 * 1024 * 1024;

/**
 * An HTTP client for one server. The World dials and verifies each connection: no byte of a request is sent to a server with the wrong certificate.
 */
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
      done.abort("done");
      leave();
    }
  }

  /**
   * Opens a response that may go on for hours; `timeoutMs` limits how long it may be silent. It does not count towards `maxConnections`: a watch
   * would block other calls.
   */
  async open(request: HttpRequest & { body?: never }): Promise<HttpStream> {
    this.#meter.calls++;
    const giveUp = new AbortController();
    const done = new AbortController();
    const clock = this.#world.clock;
    const signal = request.signal ? AbortSignal.any([request.signal, giveUp.signal]) : giveUp.signal;
    // While the reader works on a part, the server is not silent.
    let heard: number | undefined = clock.monotonic();
    this.#patience(request.timeoutMs ?? TIMEOUT_MS, () => heard ?? clock.monotonic(), done.signal).then(
      (reason) => giveUp.abort(reason),
      () => {},
    );
    const lost = (error: unknown) => {
      done.abort("done");
      request.signal?.throwIfAborted();
      return this.#lost(request, giveUp.signal.aborted ? giveUp.signal.reason : error);
    };
    const meter = this.#meter;
    try {
      const incoming = await this.#begin(request, signal);
      const parts = async function* () {
        try {
          for await (const part of incoming as AsyncIterable<Buffer>) {
            meter.bytes += part.length;
            heard = undefined;
            yield part;
            heard = clock.monotonic();
          }
        } catch (error) {
          throw lost(error);
        } finally {
          done.abort("done");
          if (!incoming.complete) incoming.destroy();
        }
      };
      return {
        status: incoming.statusCode ?? 0,
        reason: incoming.statusMessage ?? "",
        headers: incoming.headers,
        parts: parts(),
      };
    } catch (error) {
      throw lost(error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves after this long without progress. */
  async #patience(limit: number, progress: () => number, signal: AbortSignal): Promise<Error> {
    for (;;) {
      const left = progress() + limit - this.#world.clock.monotonic();
      if (left <= 0) return new Error(`no answer within ${Math.round(limit / 1000)} s`);
      await this.#world.clock.sleep(left, signal);
    }
  }

  #outgoing({ method, path, headers, body }: HttpRequest, signal: AbortSignal): http.ClientRequest {
    const size = body === undefined ? undefined : typeof body === "string" ? Buffer.byteLength(body) : body.size;
    return http.request({
      agent: this.#agent,
      host: this.#url.hostname,
      port: portOf(this.#url),
      method,
      path,
      signal,
      headers: { ...headers, ...(size !== undefined && { "content-length": size }) },
    });
  }

  #begin(request: HttpRequest & { body?: never }, signal: AbortSignal): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#outgoing(request, signal);
      // Stays registered as long as the response: an error after its start is reported by the response itself.
      outgoing.on("error", reject);
      outgoing.on("response", resolve);
      outgoing.end();
    });
  }

  #send(request: HttpRequest, signal: AbortSignal, onProgress: () => void): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { body } = request;
      const outgoing = this.#outgoing(request, signal);
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        const parts: Buffer[] = [];
        let size = 0;
        incoming.on("data", (part: Buffer) => {
          size += part.length;
          if (size <= MAX_BODY) parts.push(part);
          else outgoing.destroy(new Error(`the answer is larger than ${MAX_BODY / 1024 / 1024} MiB`));
        });
        incoming.on("error", reject);
        incoming.on("aborted", () => reject(new Error("the connection was cut in the middle of the answer")));
        incoming.on("end", () => {
          resolve({
            status: incoming.statusCode ?? 0,
            reason: incoming.statusMessage ?? "",
            body: Buffer.concat(parts).toString("utf8"),
            headers: incoming.headers,
          });
          if (!outgoing.writableEnded) outgoing.destroy();
        });
      });
      if (body === undefined || typeof body === "string") outgoing.end(body);
      // A server that has already responded, with a refusal, reads no more of the body.
      else pour(body, outgoing, onProgress).catch((error: unknown) => outgoing.destroy(error as Error));
    });
  }

  #lost(request: HttpRequest, error: unknown): TalosmithError {
    if (error instanceof TalosmithError) return error;
    const { why, hint } = unreachable(this.#url, error);
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const neverSent = NEVER_SENT.has(code) || wasCutWhileDialled(error);
    return remoteError(neverSent ? "UNREACHABLE" : "CONNECTION_LOST", {
      message: `Unable to reach ${this.#url.host}: ${why}`,
      detail: `${request.method} ${request.path.split("?")[0]}`,
      hint,
      cause: error,
      transient: true,
    });
  }
}

/** Sends a body no faster than the server takes it. */
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
