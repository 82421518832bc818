import { randomBytes } from "node:crypto";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import type { Credentials } from "./raw-client.ts";

/** The response of a server that did not switch protocols. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`${status} ${text}`);
  }
}

interface Upgraded {
  socket: Duplex;
  head: Buffer;
  headers: Record<string, string | string[] | undefined>;
}

function upgrade(url: string, who: Credentials, method: string, headers: Record<string, string>): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const options = { ca: who.ca, cert: who.certificate, key: who.key };
    const sent = https.request(url, { method, agent: false, ...options, headers: { Connection: "Upgrade", ...headers } });
    sent.on("error", reject);
    sent.on("upgrade", (response, socket, head) => resolve({ socket, head, headers: response.headers }));
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => reject(new Refused(response.statusCode ?? 0, Buffer.concat(parts).toString("utf8"))));
    });
    sent.end();
  });
}

export interface Executed {
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: a Status of Kubernetes; tests look into it by field names.
  status: any;
  /** Close code of the WebSocket. */
  closed: number;
}

/** Runs `exec` or `attach` by WebSocket as kubectl does; input is sent and closed at once. */
export async function execute(url: string, who: Credentials, input?: Buffer): Promise<Executed> {
  const { socket, head } = await upgrade(url, who, "GET", {
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Protocol": "v5.channel.k8s.io",
  });
  if (input) {
    // In two frames, the second a continuation, with a ping between them: every server must accept that.
    const half = Math.floor(input.length / 2);
    socket.write(masked(0x02, Buffer.concat([Buffer.of(0), input.subarray(0, half)])));
    socket.write(masked(0x89, Buffer.from("?")));
    socket.write(masked(0x80, input.subarray(half)));
    socket.write(masked(0x82, Buffer.of(255, 0)));
  }
  const channels: Record<number, Buffer[]> = { 1: [], 2: [], 3: [] };
  let closed = 0;
  let received = head;
  for (;;) {
    for (let frame = unmasked(received); frame; frame = unmasked(received)) {
      received = received.subarray(frame.length);
      if (frame.opcode === 8) closed = frame.payload.readUInt16BE(0);
      if (frame.opcode === 2) channels[frame.payload[0] ?? 0]?.push(frame.payload.subarray(1));
    }
    if (closed > 0) break;
    const part = await next(socket);
    if (!part) break;
    received = Buffer.concat([received, part]);
  }
  socket.destroy();
  const text = (channel: number) => Buffer.concat(channels[channel] ?? []).toString("utf8");
  return { stdout: text(1), stderr: text(2), status: text(3) === "" ? undefined : JSON.parse(text(3)), closed };
}

function masked(first: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const size = Buffer.alloc(payload.length < 126 ? 1 : 3);
  size[0] = 0x80 | (payload.length < 126 ? payload.length : 126);
  if (size.length === 3) size.writeUInt16BE(payload.length, 1);
  const body = Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  return Buffer.concat([Buffer.of(first), size, mask, body]);
}

function unmasked(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  const [first = 0, short = 0] = bytes;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + size) return undefined;
  return { opcode: first & 0x0f, payload: bytes.subarray(start, start + size), length: start + size };
}

/** undefined: the other side has closed the connection. */
function next(socket: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = (part?: Buffer) => {
      socket.off("data", done).off("close", end).off("end", end).pause();
      resolve(part);
    };
    const end = () => done();
    socket.on("data", done).on("close", end).on("end", end).resume();
  });
}

/** A SPDY/3.1 client that opens its streams one after the other. */
export class SpdyClient {
  readonly #socket: Duplex;
  #opened = 0;
  #received: Buffer;

  private constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    this.#received = head;
  }

  static async open(url: string, who: Credentials, protocol: string): Promise<SpdyClient> {
    const headers = { Upgrade: "SPDY/3.1", "X-Stream-Protocol-Version": protocol, "Content-Length": "0" };
    const { socket, head } = await upgrade(url, who, "POST", headers);
    return new SpdyClient(socket, head);
  }

  stream(headers: Record<string, string>): number {
    const id = 2 * this.#opened + 1;
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    const block = Buffer.concat([sized(Object.keys(headers).length), ...Object.entries(headers).flat().map(text)]);
    const compressed = this.#opened === 0 ? deflateSync(block, flush) : deflateRawSync(block, flush);
    this.#opened++;
    const payload = Buffer.concat([sized(id), sized(0), Buffer.alloc(2), compressed]);
    this.#socket.write(Buffer.concat([Buffer.of(0x80, 3, 0, 1), sized(payload.length), payload]));
    return id;
  }

  /** Sends the content of a stream, and closes it. */
  send(id: number, content: string): void {
    const body = Buffer.from(content);
    this.#socket.write(Buffer.concat([sized(id), sized((1 << 24) | body.length), body]));
  }

  /** The content of each stream when the server has closed all of these. */
  async untilEnded(...ids: number[]): Promise<Record<number, string>> {
    const said: Record<number, string> = {};
    const open = new Set(ids);
    while (open.size > 0) {
      while (this.#received.length >= 8 && this.#received.length >= 8 + this.#received.readUIntBE(5, 3)) {
        const frame = this.#received.subarray(0, 8 + this.#received.readUIntBE(5, 3));
        this.#received = this.#received.subarray(frame.length);
        const id = frame.readUInt32BE(0);
        if (id >= 0x80000000) continue;
        said[id] = `${said[id] ?? ""}${frame.subarray(8).toString("utf8")}`;
        if (frame[4] === 1) open.delete(id);
      }
      if (open.size === 0) break;
      const part = await next(this.#socket);
      if (!part) throw new Error(`the connection ended, ${[...open]} did not`);
      this.#received = Buffer.concat([this.#received, part]);
    }
    this.#socket.destroy();
    return said;
  }
}

function sized(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function text(word: string): Buffer {
  return Buffer.concat([sized(word.length), Buffer.from(word)]);
}
