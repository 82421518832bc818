import { remoteError } from "@talosmith/lib/errors.ts";

/*
 * Proxmox's JSON is loose: numbers come as strings, booleans as 0 and 1 or not at all, lists in random order. Everything is
 * made firm here, at the edge; a shape that cannot be is an error that says where.
 */

export type Loose = Readonly<Record<string, unknown>>;

function odd(what: string, value: unknown): never {
  throw remoteError("PROXMOX_ANSWER", {
    message: `Unexpected response from Proxmox: ${what}`,
    detail: `got ${JSON.stringify(value)?.slice(0, 200)}`,
    hint: "check that proxmox.url is a Proxmox VE host",
  });
}

export function list(value: unknown, what: string): Loose[] {
  if (!Array.isArray(value)) odd(`${what} is not a list`, value);
  return value.map((item) => object(item, what));
}

export function object(value: unknown, what: string): Loose {
  if (typeof value !== "object" || value === null || Array.isArray(value)) odd(`${what} is not an object`, value);
  return value as Loose;
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export function requiredText(value: unknown, what: string): string {
  return text(value) ?? odd(`${what} is missing`, value);
}

/** Requires a valid host name: it becomes part of URL paths, and must not lead elsewhere. */
export function hostName(value: unknown, what: string): string {
  const name = requiredText(value, what);
  return /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(name) && !name.includes("..")
    ? name
    : odd(`${what} is not a host name`, value);
}

/** Requires a valid VM id, which becomes part of URL paths too. */
export function vmId(value: unknown): number {
  const id = requiredNumber(value, "a VM's id");
  return Number.isSafeInteger(id) && id > 0 ? id : odd("a VM's id is not a positive whole number", value);
}

export function number(value: unknown): number | undefined {
  const result = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof result === "number" && Number.isFinite(result) ? result : undefined;
}

export function requiredNumber(value: unknown, what: string): number {
  return number(value) ?? odd(`${what} is not a number`, value);
}

export function flag(value: unknown): boolean {
  return value === true || value === 1 || value === "1";
}

/** Lists come with commas, semicolons, blanks or NULs between. */
export function words(value: unknown): string[] {
  return (text(value) ?? "").split(/[,;\s\0]+/).filter((word) => word !== "");
}
