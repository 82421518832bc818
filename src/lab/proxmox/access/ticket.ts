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

/** PVE:<user>:<time>::<signature> (proxmox.md 1.2) */
export function createTicket(lab: Lab, user: string): string {
  const plain = `PVE:${user}:${hexTime(lab)}`;
  return `${plain}::${sign(proxmoxState(lab).ticketKey, plain)}`;
}

/** The user; undefined when it is no ticket of ours or an old one. */
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
