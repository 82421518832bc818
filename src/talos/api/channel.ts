import type { X509Certificate } from "node:crypto";
import * as http2 from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** After this much silence the kernel sends keep-alive probes, since a watch is often silent. Talos itself does not handle them. */
const KEEP_ALIVE_MS = 15_000;

/** One HTTP/2 connection, opened on first use and reopened after a loss. connect-node opens streams on it. */
export class Channel {
  readonly authority: string;
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  /** Aborted dials and connections that the other side never closes must not keep the process alive. */
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  #session: Promise<http2.ClientHttp2Session> | undefined;
  /** The established session. */
  #made: http2.ClientHttp2Session | undefined;
  #socket: Socket | undefined;

  constructor(authority: string, dial: (signal: AbortSignal) => Promise<Socket>) {
    this.authority = authority;
    this.#dial = dial;
  }

  /** Whether there seems to be a connection; sends nothing to check it. */
  get isOpen(): boolean {
    return this.#made !== undefined && !ended(this.#made);
  }

  /** Rejects with the error of the dial, or with the signal's reason; other callers may go on waiting for the same connection. */
  async opened(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#connected()
        .then(() => resolve(), reject)
        .finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  /** The certificate that the other side presented. */
  async peerCertificate(signal: AbortSignal): Promise<X509Certificate | undefined> {
    await this.opened(signal);
    return (this.#socket as TLSSocket | undefined)?.getPeerX509Certificate?.();
  }

  async request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders,
    options: http2.ClientSessionRequestOptions,
  ): Promise<http2.ClientHttp2Stream> {
    const session = await this.#connected();
    return session.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** Unused: no keep-alive pings are sent, because Talos may take them for an attack, and every call has a deadline. */
  notifyResponseByteRead(): void {}

  /** The next call gets a new connection; calls on this one may finish. */
  forget(): void {
    const session = this.#session;
    this.#lose();
    session?.then(
      (lost) => lost.close(),
      () => {},
    );
  }

  close(): void {
    this.#closing.abort(new Error("closed"));
    for (const socket of this.#sockets) socket.destroy();
    this.#lose();
  }

  #lose(): void {
    this.#session = undefined;
    this.#made = undefined;
    this.#socket = undefined;
  }

  #connected(): Promise<http2.ClientHttp2Session> {
    // Its close event comes shortly after the error of the call.
    if (this.#made && ended(this.#made)) this.#lose();
    this.#session ??= this.#connect();
    return this.#session;
  }

  #connect(): Promise<http2.ClientHttp2Session> {
    const lose = () => {
      if (this.#session === session) this.#lose();
    };
    const session = this.#dial(this.#closing.signal).then((socket) => {
      this.#sockets.add(socket);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      socket.once("close", () => this.#sockets.delete(socket));
      const made = http2.connect(this.authority, { createConnection: () => socket });
      // Readers of a stream get the error there.
      made.on("error", lose);
      made.on("goaway", lose);
      made.on("close", lose);
      if (this.#closing.signal.aborted) socket.destroy();
      if (this.#session === session) {
        this.#made = made;
        this.#socket = socket;
      }
      return made;
    });
    session.catch(lose);
    return session;
  }
}

function ended(session: http2.ClientHttp2Session): boolean {
  return session.closed || session.destroyed;
}
