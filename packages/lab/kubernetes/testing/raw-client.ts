import * as https from "node:https";

export interface Credentials {
  ca?: string;
  certificate?: string;
  key?: string;
  token?: string;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function start(url: string, who: Credentials, { method = "GET", headers = {}, body }: Request) {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const sent = https.request(url, {
    method,
    agent: false,
    ...(who.ca === undefined ? { rejectUnauthorized: false } : { ca: who.ca }),
    ...(who.certificate !== undefined && { cert: who.certificate, key: who.key }),
    headers: {
      ...(text !== undefined && { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
      ...(who.token !== undefined && { authorization: `Bearer ${who.token}` }),
      ...headers,
    },
  });
  sent.end(text);
  return sent;
}

export function send(url: string, who: Credentials, request: Request = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = start(url, who, request);
    sent.on("error", reject);
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const isJson = /json/.test(response.headers["content-type"] ?? "");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
  });
}

export interface OpenStream {
  lines: string[];
  ended: Promise<void>;
  stop(): void;
}

/** A streaming response: its lines as they arrive. */
export function open(url: string, who: Credentials): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = start(url, who, {});
    sent.on("error", reject);
    sent.on("response", (response) => {
      const lines: string[] = [];
      let rest = "";
      response.on("data", (part: Buffer) => {
        const pieces = `${rest}${part}`.split("\n");
        rest = pieces.pop() ?? "";
        lines.push(...pieces);
      });
      const ended = new Promise<void>((done) => {
        response.on("close", () => done());
      });
      resolve({ lines, ended, stop: () => sent.destroy() });
    });
  });
}
