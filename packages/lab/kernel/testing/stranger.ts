import * as http from "node:http";
import * as https from "node:https";
import type { Heard } from "./fault-contract.ts";

export interface Said {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The client certificate. The server's certificate is not verified. */
  tls?: { cert?: string | undefined; key?: string | undefined };
}

/** Sends one request over its own connection, and counts the parts of the response. */
export function heardFrom(url: string, { method = "GET", headers = {}, body, tls = {} }: Said = {}): Promise<Heard> {
  return new Promise((done) => {
    const parts: Buffer[] = [];
    const heard = (status: number | undefined) => done({ status, text: Buffer.concat(parts).toString(), pieces: parts.length });
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { method, agent: false as const, headers: { ...length, ...headers } };
    const sent = url.startsWith("https:")
      ? https.request(url, { ...options, ...tls, rejectUnauthorized: false })
      : http.request(url, options);
    sent.on("error", () => heard(undefined));
    sent.on("response", (response) => {
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", () => heard(undefined));
      response.on("end", () => heard(response.statusCode));
    });
    sent.end(body);
  });
}
