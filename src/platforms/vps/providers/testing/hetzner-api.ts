import type { IncomingMessage } from "node:http";
import { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { HetznerAccess } from "../hetzner/client.ts";

export const TOKEN = "LRK9DAWQ1ZAEFSrCNEEzLCUwhYX1U3g7wMg4dTlkkDC96fyDuyJ39nVbVjCKSDfj";

export interface ApiCall {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects.
  body: any;
}

export type ApiAnswer = { status?: number; body: unknown; headers?: Record<string, string> } | "cut";

/** The error as Hetzner Cloud writes it. */
export function refusal(status: number, code: string, message: string, details: unknown = null): ApiAnswer {
  return { status, body: { error: { code, message, details } } };
}

/** A server with the answers of a test; it records all calls. */
export async function answering(world: World, answer: (call: ApiCall, count: number) => ApiAnswer) {
  const calls: ApiCall[] = [];
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { method = "", url = "", headers } = request;
    const call = { method, path: url.replace(/^\/v1/, ""), headers, body: text === "" ? undefined : JSON.parse(text) };
    calls.push(call);
    const given = answer(call, calls.length);
    if (given === "cut") return void response.socket?.destroy();
    response.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
    response.end(given.body === undefined ? "" : JSON.stringify(given.body));
  });
  const access: HetznerAccess = { url: `http://127.0.0.1:${listener.port}/v1`, token: new Secret(TOKEN) };
  return { calls, access, close: () => listener.close() };
}
