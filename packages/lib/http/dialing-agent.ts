import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Duplex } from "node:stream";
import type { Dial, Trust, World } from "../world/world.ts";

/** Who we connect to as whom, and for how long a connection is kept. */
export interface DialingOptions {
  trust: Trust;
  certificate?: string;
  key?: string;
  idleMs: number;
  maxCallsPerConnection?: number;
}

/** A load balancer with nobody behind it takes a connection and drops it before TLS is agreed on: nothing was asked yet. */
const cutWhileDialled = new WeakSet<object>();

export function wasCutWhileDialled(error: unknown): boolean {
  return typeof error === "object" && error !== null && cutWhileDialled.has(error);
}

export function portOf(url: URL): number {
  if (url.port) return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Node takes the stream from the callback; its types want one here, and beside an error, too. */
const NO_STREAM = undefined as unknown as Duplex;

/** Connections that the World dials. */
export class DialingAgent extends http.Agent {
  readonly #world: World;
  readonly #url: URL;
  readonly #tls: NonNullable<Dial["tls"]>;
  /** A dial that is given up must not keep the process alive. */
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
        // Node stops listening to a connection when an answer is over, also to one that was just destroyed with an error.
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
