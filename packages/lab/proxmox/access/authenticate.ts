import type { IncomingHttpHeaders } from "node:http";
import type { Lab } from "../../kernel/kernel.ts";
import { SimulatedError } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import { type ProxmoxState, proxmoxState, seconds } from "../state.ts";
import { splitAuthId } from "./acl.ts";
import { isCsrfToken, readTfaTicket, readTicket } from "./ticket.ts";

/** A failed authentication: answered with a delay, and without a body. */
export class Dismissal extends SimulatedError {}

function unauthenticated(message: string): Dismissal {
  return new Dismissal(401, message);
}

export interface Caller {
  /** "root@pam" or "user@realm!token"; empty for calls without login. */
  id: string;
  byToken: boolean;
}

const WITHOUT_LOGIN = /^(?:GET \/access\/(?:domains|ticket)|POST \/access\/(?:ticket|vncticket|openid\/(?:auth-url|login)))$/;

/** Authenticates the caller of a request (docs/facts/proxmox.md#authentication). */
export function authenticate(lab: Lab, method: string, path: string, headers: IncomingHttpHeaders): Caller {
  const ticket = ticketOf(headers);
  const { authorization = "" } = headers;
  const byToken = ticket === undefined && /^PVEAPIToken[= ]/.test(authorization);
  if (WITHOUT_LOGIN.test(`${method} ${path}`)) return { id: "", byToken };
  if (byToken) return { id: known(lab, verifyToken(lab, decode(authorization.slice("PVEAPIToken=".length)))), byToken };
  if (ticket === undefined) throw unauthenticated("No ticket");
  // A partial ticket: the second factor is still missing.
  if (readTfaTicket(lab, ticket) !== undefined) throw unauthenticated("No ticket");
  const user = known(lab, verifyTicket(lab, ticket));
  const upload = method === "POST" && /^\/nodes\/[^/]+\/storage\/[^/]+\/upload$/.test(path);
  if (method !== "GET" && !upload && !isCsrfToken(lab, user, String(headers.csrfpreventiontoken ?? "")))
    throw unauthenticated("Permission denied - invalid csrf token");
  return { id: user, byToken: false };
}

/** The ticket in the cookie, or in the Authorization header. */
function ticketOf(headers: IncomingHttpHeaders): string | undefined {
  const cookie = /(?:^|\s)PVEAuthCookie=([^;]*)/.exec(headers.cookie ?? "")?.[1];
  const header = /^PVEAuthCookie[= ](.*)$/.exec(headers.authorization ?? "")?.[1];
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

/** The caller's id, or the reason of the failure. */
type Verdict = { id: string } | { why: string };

/** Later releases do not reveal the reason (docs/facts/proxmox.md#status-codes). */
function known(lab: Lab, verdict: Verdict): string {
  if ("id" in verdict) return verdict.id;
  throw unauthenticated(releaseOf(proxmoxState(lab)).uniformLogin ? "Authentication failed!" : verdict.why);
}

function verifyTicket(lab: Lab, ticket: string): Verdict {
  const user = readTicket(lab, ticket);
  if (user === undefined) return { why: "permission denied - invalid PVE ticket" };
  const why = absence(lab, proxmoxState(lab), user);
  return why === undefined ? { id: user } : { why };
}

function verifyToken(lab: Lab, given: string): Verdict {
  const state = proxmoxState(lab);
  const [, id, secret = ""] = /^(.*)=(.*)$/s.exec(given) ?? [];
  if (id === undefined) return { why: "no tokenid specified" };
  const { user, token = "" } = splitAuthId(id);
  const why = absence(lab, state, user);
  if (why !== undefined) return { why };
  const found = state.access.users[user]?.tokens[token];
  if (!found) return { why: `no such token '${token}' for user '${user}'` };
  if (found.expire !== 0 && found.expire < seconds(lab)) return { why: `token '${token}' access expired` };
  return found.secret === secret ? { id } : { why: "invalid token value!" };
}

/** Why a user cannot log in; undefined when they can. */
function absence(lab: Lab, state: ProxmoxState, user: string): string | undefined {
  const found = state.access.users[user];
  if (!found) return `no such user ('${user}')`;
  if (!found.enable) return `user '${user}' is disabled`;
  return found.expire !== 0 && found.expire < seconds(lab) ? `user '${user}' access expired` : undefined;
}

export function isActive(lab: Lab, state: ProxmoxState, user: string): boolean {
  return absence(lab, state, user) === undefined;
}
