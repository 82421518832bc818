import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answering } from "../../kernel/answer.ts";
import type { Lab, WebEndpoint } from "../../kernel/kernel.ts";
import type { Router } from "../../kernel/router.ts";
import type { Method } from "../routes/route.ts";
import { type Host, hostNamed, proxmoxState } from "../state.ts";
import { proxmoxConversation } from "./server.ts";

export const PROXMOX_PORT = 8006;
/** Lines and bytes of a request's head, the empty line included, above which it is not answered. */
const HEADER_LINES = 64;
const HEADER_BYTES = 8 * 1024;
/** How long Proxmox waits for the rest of a request, in virtual milliseconds. */
const IDLE = 5000;
const REQUESTS_A_CONNECTION = 100;

/** The endpoint of a host, with its rules for connections (docs/facts/proxmox.md#connections). A host that is off accepts none. */
export function doorOf(lab: Lab, { name, address, tls }: Host, router: Router<Method>): WebEndpoint {
  const now = (): Host | undefined => (lab.closing.aborted ? undefined : lab.turn(() => hostNamed(proxmoxState(lab), name)));
  const answer = answering(lab, proxmoxConversation(lab, name, router));
  const requests = new WeakMap<Socket, number>();
  return {
    host: address,
    port: PROXMOX_PORT,
    ...(tls && { tls: { ...tls, current: () => now()?.tls ?? tls, plain: redirect } }),
    admits: () => now()?.online === true,
    answer: (request, response) => {
      if (now()?.online !== true) return void request.socket.destroy();
      if (isTooMuch(request)) return abandon(lab, request);
      const count = (requests.get(request.socket) ?? 0) + 1;
      requests.set(request.socket, count);
      // As if the client had sent it: the response closes the connection.
      if (count >= REQUESTS_A_CONNECTION) request.headers.connection = "close";
      answer(request, response);
    },
  };
}

function isTooMuch({ rawHeaders }: IncomingMessage): boolean {
  const lines = rawHeaders.length / 2 + 1;
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length + 1, 0);
  return lines >= HEADER_LINES || bytes >= HEADER_BYTES;
}

function abandon(lab: Lab, request: IncomingMessage): void {
  const end = () => request.socket.destroy();
  lab.sleep(IDLE).then(end, end);
}

/** Redirects plain HTTP to HTTPS. */
function redirect({ method, headers, url }: IncomingMessage, response: ServerResponse): void {
  const [status, reason] = method === "GET" || method === "HEAD" ? [301, "Moved Permanently"] : [308, "Permanent Redirect"];
  const to = `https://${headers.host}${url}`;
  response.writeHead(Number(status), String(reason), { Location: to, Connection: "close", Server: "pve-api-daemon/3.0" });
  response.end(reason);
}
