import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { ProxmoxLogin } from "../config/config-on-proxmox.ts";
import { Ticket } from "./ticket.ts";

/** A call without anybody's name on it. */
export type Send = (method: "POST", path: string, form: Readonly<Record<string, string>>) => Promise<HttpAnswer>;

/** How we show who we are. */
export interface Login {
  /** Whom tasks of ours belong to: "user@realm!name" or "user@realm". */
  readonly identity: string;
  headers(method: string): Promise<Record<string, string>>;
  /** Proxmox knew us no more; true when it is worth to show ourselves once more. */
  again(): boolean;
}

/** root@pam by its password is the one whom nothing is refused; a token of root is not root. */
export function isRoot(login: ProxmoxLogin): boolean {
  return login.by === "password" && login.user === "root@pam";
}

export function loginOf(login: ProxmoxLogin, clock: Clock, host: string, send: Send): Login {
  if (login.by === "password") return new Ticket(login.user, login.password, clock, host, send);
  return {
    identity: login.token.reveal().split("=")[0] ?? "",
    headers: async () => ({ authorization: `PVEAPIToken=${login.token.reveal()}` }),
    again: () => false,
  };
}
