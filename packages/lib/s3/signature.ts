import { createHash, createHmac } from "node:crypto";
import type { Credentials } from "./credentials.ts";

export interface Unsigned {
  method: string;
  host: string;
  /** Not encoded; begins with a slash. */
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex. */
  sha256: string;
}

export interface Signed {
  /** With the query, exactly as it was signed. */
  path: string;
  headers: Record<string, string>;
}

export const EMPTY_SHA256 = createHash("sha256").digest("hex");

/** Signs a request with AWS signature version 4 for the service s3, all given headers included. */
export function sign(request: Unsigned, credentials: Credentials, region: string, now: number): Signed {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value.trim()])),
    host: request.host,
    "x-amz-content-sha256": request.sha256,
    "x-amz-date": time,
    ...(credentials.sessionToken !== undefined && { "x-amz-security-token": credentials.sessionToken.reveal() }),
  };
  const names = Object.keys(headers).sort();
  const path = request.path.split("/").map(encoded).join("/");
  const query = Object.entries(request.query)
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .sort()
    .join("&");
  const lines = names.map((name) => `${name}:${headers[name]?.replaceAll(/\s+/g, " ")}\n`).join("");
  const canonical = [request.method, path, query, lines, names.join(";"), request.sha256].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${credentials.secretKey.reveal()}`);
  const login = `Credential=${credentials.accessKey}/${scope}`;
  const signature = hmac(key, toSign).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 ${login}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { path: query === "" ? path : `${path}?${query}`, headers: { ...headers, authorization } };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** RFC 3986: everything but letters, digits and -._~ */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
