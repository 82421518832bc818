import { deflateSync, gzipSync } from "node:zlib";
import type { Json } from "@talosmith/lib/json.ts";
import type { Incoming, Reply } from "../../kernel/answer.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { Dismissal } from "../access/authenticate.ts";
import type { SimulatedError } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import { ApiReply } from "../routes/route.ts";
import { proxmoxState } from "../state.ts";

/** "extjs" always answers 200, with the result in the body. */
export type Formatter = "json" | "extjs";

const COMPRESSED_ABOVE = 1024;

export function success(lab: Lab, incoming: Incoming, formatter: Formatter, result: Json | ApiReply): Reply {
  const { data, total } = result instanceof ApiReply ? result : { data: result, total: 0 };
  const body = { data, ...(total > 0 && { total }), ...(formatter === "extjs" && { success: 1 }) };
  return reply(lab, incoming, 200, "OK", body);
}

/** Formats an error; its first line is the reason phrase (docs/facts/proxmox.md#answers). */
export function refusal(lab: Lab, incoming: Incoming, formatter: Formatter, refused: SimulatedError): Reply {
  const reason = refused.message.split("\n")[0] ?? "";
  if (refused instanceof Dismissal) return bare(lab, refused.status, reason);
  const message = refused.status === 501 || refused.message.endsWith("\n") ? refused.message : `${refused.message}\n`;
  const errors = refused.errors && { errors: { ...refused.errors } };
  // A forwarding host has no body when the target does not answer.
  if (refused.status > 590) return bare(lab, refused.status, reason);
  const told = releaseOf(proxmoxState(lab)).messageInBody ? { message } : {};
  if (formatter === "json") return reply(lab, incoming, refused.status, reason, { data: null, ...told, ...errors });
  return reply(lab, incoming, 200, "OK", { data: null, message, status: refused.status, success: 0, ...errors });
}

/** A response of the HTTP server itself: no JSON, and no content type. */
export function bare(lab: Lab, status: number, reason: string, body = ""): Reply {
  return { status, reason, headers: { ...headers(lab), Connection: "close" }, ...(body !== "" && { body }) };
}

function reply(lab: Lab, incoming: Incoming, status: number, reason: string, value: Json): Reply {
  const text = Buffer.from(JSON.stringify(value));
  const compression = text.length > COMPRESSED_ABOVE ? acceptedBy(incoming) : undefined;
  return {
    status,
    reason,
    headers: {
      ...headers(lab),
      "Content-Type": "application/json;charset=UTF-8",
      ...(compression && { "Content-Encoding": compression.name }),
      Connection: status >= 400 || /close/i.test(String(incoming.headers.connection ?? "")) ? "close" : "Keep-Alive",
    },
    body: compression ? compression.pack(text) : text,
  };
}

function acceptedBy(incoming: Incoming): { name: string; pack: (text: Buffer) => Buffer } | undefined {
  const accepted = String(incoming.headers["accept-encoding"] ?? "");
  if (accepted.includes("gzip")) return { name: "gzip", pack: gzipSync };
  return accepted.includes("deflate") ? { name: "deflate", pack: deflateSync } : undefined;
}

function headers(lab: Lab): Record<string, string> {
  const now = new Date(lab.now()).toUTCString();
  return {
    "Cache-Control": "max-age=0",
    Date: now,
    Expires: now,
    Pragma: "no-cache",
    Server: "pve-api-daemon/3.0",
  };
}
