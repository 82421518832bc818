import type { IncomingHttpHeaders } from "node:http";
import type { Lab } from "../../kernel/kernel.ts";
import { Refusal } from "../refusal.ts";
import { type ProxmoxState, proxmoxState, seconds } from "../state.ts";
import { splitAuthId } from "./acl.ts";
import { isCsrfToken, readTicket } from "./ticket.ts";

/** Turned away at the door: answered late, and without a body. */
export class Dismissal extends Refusal {}

function unauthenticated(message: string): Dismissal {
  return new Dismissal(401, message);
}

export interface Caller {
  /** "root@pam" or "user@realm!token"; empty for nobody. */
  id: string;
  byToken: boolean;
}

const WITHOUT_LOGIN = /^(?:GET \/access\/(?:domains|ticket)|POST \/access\/(?:ticket|vncticket|openid\/(?:auth-url|login)))$/;

/** Who calls; nobody where nobody has to say so (proxmox.md 1.2). */
export function authenticate(lab: Lab, method: string, path: string, headers: IncomingHttpHeaders): Caller {
  const ticket = ticketOf(headers);
  const { authorization = "" } = headers;
  const byToken = ticket === undefined && /^PVEAPIToken[= ]/.test(authorization);
  if (WITHOUT_LOGIN.test(`${method} ${path}`)) return { id: "", byToken };
  if (byToken) return { id: verifyToken(lab, decode(authorization.slice("PVEAPIToken=".length))), byToken };
  if (ticket === undefined) throw unauthenticated("No ticket");
  const user = readTicket(lab, ticket);
  if (user === undefined || !isActive(lab, proxmoxState(lab), user)) throw unauthenticated("Authentication failed!");
  const upload = method === "POST" && /^\/nodes\/[^/]+\/storage\/[^/]+\/upload$/.test(path);
  if (method !== "GET" && !upload && !isCsrfToken(lab, user, String(headers.csrfpreventiontoken ?? "")))
    throw unauthenticated("Permission denied - invalid csrf token");
  return { id: user, byToken: false };
}

/** From the cookie, or from the header in its place. */
function ticketOf(headers: IncomingHttpHeaders): string | undefined {
  const cookie = /(?:^|\s)PVEAuthCookie=([^;]*)/.exec(headers.cookie ?? "")?.[1];
  const header = /^PVEAuthCookie=(.*)$/.exec(headers.authorization ?? "")?.[1];
  const ticket = cookie ?? header;
  return ticket === undefined || ticket === "" ? undefined : decode(ticket);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function verifyToken(lab: Lab, given: string): string {
  const state = proxmoxState(lab);
  const [, id = "", secret = ""] = /^(.+)=([^=]*)$/.exec(given) ?? [];
  const { user, token } = splitAuthId(id);
  const known = token === undefined ? undefined : state.access.users[user]?.tokens[token];
  const alive = known && (known.expire === 0 || known.expire > seconds(lab));
  if (!alive || known.secret !== secret || !isActive(lab, state, user)) throw unauthenticated("Authentication failed!");
  return id;
}

export function isActive(lab: Lab, state: ProxmoxState, user: string): boolean {
  const known = state.access.users[user];
  return known?.enable === true && (known.expire === 0 || known.expire > seconds(lab));
}
