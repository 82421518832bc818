import type { Json } from "@talosmith/lib/json.ts";
import type { Reply } from "../kernel/answer.ts";
import { refusals } from "./refusals.ts";

const STATUS = {
  json_error: 400,
  unauthorized: 401,
  forbidden: 403,
  resource_limit_exceeded: 403,
  not_found: 404,
  firewall_resource_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  uniqueness_error: 409,
  resource_in_use: 409,
  server_already_added: 409,
  firewall_already_applied: 409,
  invalid_input: 422,
  locked: 423,
  rate_limit_exceeded: 429,
  server_error: 500,
  unavailable: 503,
} as const;

export type Code = keyof typeof STATUS;

/** An API error, thrown by handlers. */
export class Refused extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly details: Json = {},
  ) {
    super(message);
  }
}

/** An invalid field of the body. */
export function invalid(field: string, message: string): Refused {
  const words = `invalid input in field '${field}'`;
  return new Refused("invalid_input", words, { fields: [{ name: field, messages: [message] }] });
}

export function notUnique(field: string, message: string): Refused {
  return new Refused("uniqueness_error", message, { fields: [{ name: field, messages: [message] }] });
}

export function refusalReply({ code, message, details }: Refused): Reply {
  return json(STATUS[code], { error: { code, message, details } });
}

/** The reply for a fault "refuse": with the code of this message, or one that has this status. */
export function refusalOf(status: number, message: string): Reply {
  const known = Object.entries(refusals).filter(([, one]) => one.status === status);
  const [code] = known.find(([, one]) => one.message === message) ?? known[0] ?? ["server_error"];
  return json(status, { error: { code, message, details: {} } });
}

export function json(status: number, value: Json): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
