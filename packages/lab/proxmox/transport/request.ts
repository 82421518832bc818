import type { Incoming } from "../../kernel/answer.ts";
import type { RawParameters } from "../parameters/schema.ts";
import { SimulatedError } from "../refusal.ts";
import { decodeForm } from "./form.ts";
import { readUpload } from "./multipart.ts";
import type { Formatter } from "./reply.ts";

const METHODS = new Set(["GET", "POST", "PUT", "DELETE"]);
const BODY_LIMIT = 512 * 1024;

/** A refusal of the server in front of the API: its body is the message or another text. */
export class HttpRefusal extends SimulatedError {
  readonly body: string;

  constructor(status: number, message: string, body = message) {
    super(status, message);
    this.body = body;
  }
}

export interface RequestTarget {
  /** Absent for an unknown formatter. */
  formatter?: Formatter;
  /** As requested: "json". */
  format: string;
  /** Percent-decoded, without /api2/json. */
  path: string;
}

/** Parses the target; throws for requests that the server refuses before it knows the caller (docs/facts/proxmox.md#refused-requests). */
export function readTarget(incoming: Incoming): RequestTarget {
  const { method, headers } = incoming;
  if (!METHODS.has(method)) throw new HttpRefusal(501, `method '${method}' not available`, "");
  const encoding = headers["transfer-encoding"];
  if (encoding?.toLowerCase() === "chunked") throw new HttpRefusal(501, "chunked transfer encoding not supported");
  if (encoding !== undefined) throw new HttpRefusal(501, `Unknown transfer encoding '${encoding}'`);
  const path = decodePath(incoming.path);
  // Other paths are pages and files of the web interface, which the lab does not have.
  if (!path.startsWith("/api2")) throw new HttpRefusal(500, `no such file '${path}'`);
  const [, format, rest = ""] = /^\/api2\/+([a-z][a-z0-9]+)(\/.*)?$/.exec(path) ?? [];
  if (format === undefined) throw new HttpRefusal(501, "no such uri");
  const formatter = format === "json" || format === "extjs" ? format : undefined;
  return { ...(formatter && { formatter }), format, path: rest.replace(/\/+$/, "") || "/" };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export interface Body {
  params: RawParameters;
  file?: { name: string; bytes: Buffer };
}

/** Parses the parameters, of which the query's override the body's; throws for requests refused after authentication. */
export function readBody(incoming: Incoming, isUpload: boolean): Body {
  const { method, headers, body } = incoming;
  const query = decodeForm(incoming.request.url?.split("?").slice(1).join("?") ?? "");
  if (body.length === 0) return { params: query };
  if (method === "GET" || method === "DELETE") throw new HttpRefusal(501, `Unexpected content for method '${method}'`);
  const type = headers["content-type"] ?? "";
  if (isUpload) {
    if (!/^multipart\/form-data\b/i.test(type)) throw new HttpRefusal(500, `upload 'Content-Type '${type}' not implemented`);
    const { fields, file } = readUpload(type, body);
    return { params: { ...fields, ...query }, file };
  }
  if (body.length > BODY_LIMIT) throw new HttpRefusal(501, "for data too large");
  if (/^application\/json(?:\s*;|\s*$)/i.test(type)) return { params: { ...readJson(body), ...query } };
  if (type === "" || /^application\/x-www-form-urlencoded\b/i.test(type))
    return { params: { ...decodeForm(body.toString("utf8")), ...query } };
  throw new HttpRefusal(506, `upload 'Content-Type '${type}' not implemented`);
}

function readJson(body: Buffer): RawParameters {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as RawParameters;
  } catch {
    // Refused below like any other body that is not an object.
  }
  throw new HttpRefusal(500, "malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0");
}
