import { createHmac, timingSafeEqual } from "node:crypto";
import type { Lab } from "../../kernel/kernel.ts";
import { proxmoxState, seconds } from "../state.ts";

const LIFE = 2 * 60 * 60;
const GRACE = 5 * 60;

function sign(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64").replace(/=+$/, "");
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function hexTime(lab: Lab): string {
  return seconds(lab).toString(16).toUpperCase().padStart(8, "0");
}

function fresh(lab: Lab, time: string): boolean {
  const age = seconds(lab) - Number.parseInt(time, 16);
  return age > -GRACE && age < LIFE;
}

/** Invalidates all tickets at once, as after two hours. */
export function expireTickets(lab: Lab): void {
  lab.turn(() => {
    const state = proxmoxState(lab);
    state.ticketKey = sign(state.ticketKey, "next");
  });
}

/** Creates a ticket: PVE:<user>:<time>::<signature> (docs/facts/proxmox.md#authentication) */
export function createTicket(lab: Lab, user: string): string {
  const plain = `PVE:${user}:${hexTime(lab)}`;
  return `${plain}::${sign(proxmoxState(lab).ticketKey, plain)}`;
}

/** A ticket that is valid only for sending the second factor: it contains the challenge in place of the user. */
export function createTfaTicket(lab: Lab, user: string): string {
  const challenge = encodeURIComponent(JSON.stringify({ totp: true, recovery: "unavailable" }));
  const plain = `PVE:!tfa!${challenge}:${hexTime(lab)}`;
  return `${plain}::${sign(proxmoxState(lab).ticketKey, `${plain}:${user}`)}`;
}

/** The user of a TFA ticket; undefined when its signature is invalid or it has expired. */
export function readTfaTicket(lab: Lab, ticket: string): string | undefined {
  const { ticketKey, access } = proxmoxState(lab);
  const [, plain = "", time = "", signature = ""] = /^(PVE:!tfa![^:]+:([0-9A-F]{8}))::(.+)$/.exec(ticket) ?? [];
  if (plain === "" || !fresh(lab, time)) return undefined;
  return Object.keys(access.users).find((user) => same(signature, sign(ticketKey, `${plain}:${user}`)));
}

/** The user of a ticket; undefined when its signature is invalid or it has expired. */
export function readTicket(lab: Lab, ticket: string): string | undefined {
  const [, plain = "", user = "", time = "", signature = ""] = /^(PVE:([^:]+):([0-9A-F]{8}))::(.+)$/.exec(ticket) ?? [];
  const ours = plain !== "" && same(signature, sign(proxmoxState(lab).ticketKey, plain));
  return ours && fresh(lab, time) ? user : undefined;
}

export function createCsrfToken(lab: Lab, user: string): string {
  const time = hexTime(lab);
  return `${time}:${sign(proxmoxState(lab).ticketKey, `csrf:${time}:${user}`)}`;
}

export function isCsrfToken(lab: Lab, user: string, token: string): boolean {
  const [, time = "", signature = ""] = /^([0-9A-F]{8}):(.+)$/.exec(token) ?? [];
  return time !== "" && same(signature, sign(proxmoxState(lab).ticketKey, `csrf:${time}:${user}`)) && fresh(lab, time);
}
