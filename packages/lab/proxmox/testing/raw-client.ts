import * as https from "node:https";

export interface RawAnswer {
  status: number;
  reason: string;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

export interface RawRequest {
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends exactly one request on one connection. */
export function send(url: string, method: string, path: string, request: RawRequest = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = https.request(
      { host: hostname, port, method, path, rejectUnauthorized: false, agent: false, headers: request.headers ?? {} },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? "",
            headers: response.headers,
            text,
            body: /json/.test(response.headers["content-type"] ?? "") && text.startsWith("{") ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(request.body);
  });
}

export type Form = Record<string, string | number>;

export function encodeForm(form: Form): string {
  return new URLSearchParams(Object.entries(form).map(([key, value]): [string, string] => [key, String(value)])).toString();
}
