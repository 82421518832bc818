import type { Socket } from "node:net";
import type { Dial, World } from "@talosmith/lib/world/world.ts";
import type { PodAnswer } from "./program.ts";

export interface Sent {
  method: string;
  /** Includes the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The connections of one program: kept open between requests, which are sequential. */
export class Connections {
  readonly #world: World;
  readonly #signal: AbortSignal;
  readonly #idle = new Map<string, Connection>();

  constructor(world: World, signal: AbortSignal) {
    this.#world = world;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.close(), { once: true });
  }

  async exchange(to: Dial, sent: Sent): Promise<PodAnswer> {
    const key = `${to.host}:${to.port} ${to.tls?.serverName ?? ""} ${to.tls === undefined}`;
    const kept = this.#idle.get(key);
    this.#idle.delete(key);
    if (kept?.isOpen()) {
      try {
        return this.#keep(key, kept, await kept.exchange(sent));
      } catch (error) {
        // The server may have closed the connection meanwhile; a read can be repeated.
        if (sent.method !== "GET") throw error;
      }
    }
    const fresh = new Connection(await this.#world.net.dial(to, this.#signal));
    return this.#keep(key, fresh, await fresh.exchange(sent));
  }

  #keep(key: string, connection: Connection, answer: PodAnswer): PodAnswer {
    if (answer.headers.connection === "close" || this.#signal.aborted) connection.close();
    else this.#idle.set(key, connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#idle.values()) connection.close();
    this.#idle.clear();
  }
}

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};
  #problem: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part]);
      this.#wake();
    });
    const end = (error?: Error) => {
      this.#problem ??= error ?? new Error("EOF");
      this.#wake();
    };
    socket.on("error", end);
    socket.on("close", () => end());
  }

  isOpen(): boolean {
    return this.#problem === undefined;
  }

  close(): void {
    this.#socket.destroy();
  }

  async exchange({ method, path, headers, body }: Sent): Promise<PodAnswer> {
    const length = Buffer.byteLength(body);
    const all = { ...headers, ...(length > 0 && { "Content-Length": String(length) }) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    const answer = readHead(await this.#until("\r\n\r\n"));
    return { ...answer, body: await this.#body(answer.headers) };
  }

  async #body(headers: Record<string, string>): Promise<Buffer> {
    if (headers["transfer-encoding"] !== "chunked") return this.#take(Number(headers["content-length"] ?? 0));
    const parts: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#until("\r\n")).toString("latin1"), 16);
      parts.push(await this.#take(size));
      await this.#take(2);
      if (size === 0) return Buffer.concat(parts);
    }
  }

  /** Reads up to the mark, which is removed. */
  async #until(mark: string): Promise<Buffer> {
    let found = this.#received.indexOf(mark);
    for (; found < 0; found = this.#received.indexOf(mark)) await this.#more();
    const part = this.#received.subarray(0, found);
    this.#received = this.#received.subarray(found + mark.length);
    return part;
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#received.length < length) await this.#more();
    const part = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return part;
  }

  async #more(): Promise<void> {
    if (this.#problem) throw this.#problem;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

function readHead(head: Buffer): Omit<PodAnswer, "body"> {
  const [first = "", ...lines] = head.toString("latin1").split("\r\n");
  const [, status = ""] = /^HTTP\/1\.[01] (\d{3})/.exec(first) ?? [];
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(status), headers: Object.fromEntries(headers) };
}
