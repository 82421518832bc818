import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Duplex } from "node:stream";
import type { Dial, Trust, World } from "../world/world.ts";

/** The trust, the client certificate and the lifetime of connections. */
export interface DialingOptions {
  trust: Trust;
  certificate?: string;
  key?: string;
  idleMs: number;
  maxCallsPerConnection?: number;
}

/** Errors of connections that were dropped before TLS was established, as by a load balancer without a backend: no request was sent. */
const cutWhileDialled = new WeakSet<object>();

export function wasCutWhileDialled(error: unknown): boolean {
  return typeof error === "object" && error !== null && cutWhileDialled.has(error);
}

export function portOf(url: URL): number {
  if (url.port) return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Node takes the stream from the callback; its types require one as return value and beside an error as well. */
const NO_STREAM = undefined as unknown as Duplex;

/** An HTTP agent whose connections the World dials. */
export class DialingAgent extends http.Agent {
  readonly #world: World;
  readonly #url: URL;
  readonly #tls: NonNullable<Dial["tls"]>;
  /** A cancelled dial must not keep the process alive. */
  readonly #closing = new AbortController();
  readonly #maxCalls: number;
  readonly #calls = new WeakMap<Duplex, number>();

  constructor(world: World, url: URL, options: DialingOptions) {
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
      (socket) => {
        // Node removes its error listener when a response has ended, even from a connection that was just destroyed with an error.
        socket.on("error", () => {});
        connected?.(null, socket);
      },
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET") cutWhileDialled.add(error);
        connected?.(error, NO_STREAM);
      },
    );
    return NO_STREAM;
  }

  /** Called by Node after every call. Node's method returns a boolean, which its types do not say. */
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
