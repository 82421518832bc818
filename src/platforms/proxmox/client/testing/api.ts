import type { IncomingMessage, ServerResponse } from "node:http";
import { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { ProxmoxLogin } from "../../config/config-on-proxmox.ts";
import { ProxmoxClient } from "../client.ts";

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** The client's port of the connection. */
  port: number | undefined;
}

/** A response of the API: `data`, or a refusal with a reason phrase and any body. */
export type Answer = { data: unknown } | { status: number; reason: string; body?: string } | "cut";

export const TOKEN: ProxmoxLogin = {
  token: new Secret("talosmith@pve!deploy=01234567-89ab-cdef-0123-456789abcdef"),
};

/** A server with the responses of a test; it records all calls. */
export async function api(world: World, answer: (call: Call, count: number) => Answer) {
  const calls: Call[] = [];
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url = "", headers, socket } = request;
    const path = url.replace(/^\/api2\/json/, "");
    const call = { method, path, headers, body: Buffer.concat(parts).toString("latin1"), port: socket.remotePort };
    calls.push(call);
    send(response, answer(call, calls.length));
  });
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    calls,
    client: (login: ProxmoxLogin = TOKEN) =>
      new ProxmoxClient(world, { url, tls: { by: "system" }, ...login }, { calls: 0, bytes: 0 }),
    close: () => listener.close(),
  };
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === "cut") response.socket?.destroy();
  else if ("data" in answer) response.end(JSON.stringify(answer));
  else response.writeHead(answer.status, answer.reason).end(answer.body ?? "");
}
