import type { Json } from "@talosmith/lib/json.ts";
import { normaliseAclPath } from "../access/acl.ts";
import { isActive } from "../access/authenticate.ts";
import { capabilities } from "../access/capabilities.ts";
import { mayAt } from "../access/permission.ts";
import { createCsrfToken, createTfaTicket, createTicket, readTfaTicket, readTicket } from "../access/ticket.ts";
import { isTotp } from "../access/totp.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { died, SimulatedError } from "../refusal.ts";
import type { User } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const TEXT: Property = { type: "string" };

/** One message for every failure, so that user names are not revealed. */
const REFUSED = "authentication failure\n";

/** Logs in with a password, or with a valid ticket in its place. */
function login(call: ApiCall): Json {
  const { lab, state, params } = call;
  const { username = "", realm, path, privs } = params;
  const user = realm === undefined ? username : `${username}@${realm}`;
  const known = state.access.users[user];
  if (!known || !isActive(lab, state, user)) throw new SimulatedError(401, REFUSED);
  const factor = proven(call, user, known);
  if (factor === "wrong") throw new SimulatedError(401, REFUSED);
  if (path !== undefined && privs !== undefined) {
    const at = normaliseAclPath(path, state);
    const wanted = splitList(privs);
    if (at === undefined || wanted.length === 0 || !wanted.every((privilege) => mayAt(state, user, at, privilege)))
      throw new SimulatedError(401, REFUSED);
    return { username: user, cap: capabilities(state, user), ...clusterName(call, user) };
  }
  const csrf = createCsrfToken(lab, user);
  if (factor === "needs another")
    return {
      username: user,
      ticket: createTfaTicket(lab, user),
      CSRFPreventionToken: csrf,
      NeedTFA: 1,
      ...clusterName(call, user),
    };
  const cap = capabilities(state, user);
  return { username: user, ticket: createTicket(lab, user), CSRFPreventionToken: csrf, cap, ...clusterName(call, user) };
}

/** The cluster's name, for users who may audit the datacenter, and only in a cluster. */
function clusterName({ state }: ApiCall, user: string): { clustername?: string } {
  return state.hosts.length > 1 && mayAt(state, user, "/", "Sys.Audit") ? { clustername: state.clusterName } : {};
}

/** Users with a second factor get a partial ticket first, and answer with `tfa-challenge` and the code (docs/facts/proxmox.md#authentication). */
function proven({ lab, params }: ApiCall, user: string, known: User): "right" | "wrong" | "needs another" {
  const { password = "", otp, "tfa-challenge": challenge } = params;
  if (challenge !== undefined) {
    const number = /^totp:(\d+)$/.exec(password)?.[1];
    const ours = otp === undefined && readTfaTicket(lab, challenge) === user;
    return ours && known.totp !== undefined && isTotp(known.totp, lab.now(), number ?? "") ? "right" : "wrong";
  }
  const ticketOf = readTicket(lab, password);
  if (ticketOf === user || ticketOf === "root@pam") return "right";
  if (known.password === undefined || known.password !== password) return "wrong";
  if (known.totp === undefined) return "right";
  if (otp === undefined) return "needs another";
  return isTotp(known.totp, lab.now(), otp) ? "right" : "wrong";
}

function changePassword({ state, params }: ApiCall): Json {
  const user = state.access.users[params.userid ?? ""];
  if (!user) throw died(`no such user ('${params.userid}')`);
  user.password = params.password as string;
  return null;
}

export const loginRoutes: Method[] = [
  route("GET", "/access/ticket", { permission: { user: "world" } }, () => null),
  route(
    "POST",
    "/access/ticket",
    {
      permission: { user: "world" },
      ticketOnly: true,
      parameters: {
        username: { type: "string", maxLength: 64 },
        password: TEXT,
        realm: OPTIONAL_TEXT,
        otp: OPTIONAL_TEXT,
        path: { type: "string", optional: true, maxLength: 64, requires: "privs" },
        privs: { type: "string", optional: true, list: true, maxLength: 64, requires: "path" },
        "new-format": OPTIONAL_BOOLEAN,
        "tfa-challenge": OPTIONAL_TEXT,
      },
    },
    login,
  ),
  route(
    "PUT",
    "/access/password",
    {
      permission: { or: [{ self: "userid" }, { privilege: ["/access/groups", "User.Modify"] }] },
      ticketOnly: true,
      parameters: {
        userid: TEXT,
        password: { type: "string", minLength: 8, maxLength: 64 },
        "confirmation-password": OPTIONAL_TEXT,
      },
    },
    changePassword,
  ),
];
