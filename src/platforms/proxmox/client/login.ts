import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { ProxmoxLogin } from "../config/config-on-proxmox.ts";
import { Ticket } from "./ticket.ts";

/** Sends a call without credentials. */
export type Send = (method: "POST", path: string, form: Readonly<Record<string, string>>) => Promise<HttpAnswer>;

/** The credentials of a client. */
export interface Login {
  /** The owner of the tasks it starts: "user@realm!name" or "user@realm". */
  readonly identity: string;
  headers(method: string): Promise<Record<string, string>>;
  /** Called after a 401; returns whether a new login can help. */
  again(): boolean;
}

/** Whether the login is root@pam by password, to which nothing is refused; a token of root has fewer rights. */
export function isRoot(login: ProxmoxLogin): boolean {
  return "user" in login && login.user === "root@pam";
}

export function loginOf(login: ProxmoxLogin, clock: Clock, host: string, send: Send): Login {
  if ("user" in login) return new Ticket(login.user, login.password, clock, host, send);
  return {
    identity: login.token.reveal().split("=")[0] ?? "",
    headers: async () => ({ authorization: `PVEAPIToken=${login.token.reveal()}` }),
    again: () => false,
  };
}
