import type { Json } from "@talosmith/lib/json.ts";
import type { Reply } from "../kernel/answer.ts";

/** Thrown by handlers; sent as plain text with a newline at its end. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function plain(status: number, text: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

export function json(status: number, value: Json): Reply {
  return { status, headers: { "content-type": "application/json" }, body: `${JSON.stringify(value)}\n` };
}
