import { messageOf } from "@talosmith/lib/errors.ts";

const WORDS = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ECONNRESET", "it closed the connection"],
  ["EPIPE", "it closed the connection"],
  ["ETIMEDOUT", "no answer"],
  ["EHOSTUNREACH", "no answer"],
  ["EHOSTDOWN", "no answer"],
  ["ENETUNREACH", "there is no route to its network"],
  ["ERR_HTTP2_GOAWAY_SESSION", "it closed the connection"],
  ["ERR_HTTP2_SESSION_ERROR", "it closed the connection"],
  ["ERR_HTTP2_INVALID_SESSION", "it closed the connection"],
  ["CERT_HAS_EXPIRED", "its certificate has expired: its clock or ours may be wrong"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet: its clock or ours may be wrong"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is not for this address"],
]);

/** Describes Node's connection errors; the innermost one with a code is the cause. */
export function reasonOf(error: unknown): string {
  const chain = causes(error);
  const known = chain.map(codeOf).findLast((code) => code !== undefined && WORDS.has(code));
  if (known !== undefined) return WORDS.get(known) ?? known;
  const last = chain.at(-1);
  // OpenSSL's message names its own source line; its reason is "tlsv1 alert unknown ca".
  if (last instanceof Error && "reason" in last) return String(last.reason);
  return messageOf(last);
}

/** The codes along the chain of causes, outermost first. */
export function codesOf(error: unknown): string[] {
  return causes(error)
    .map(codeOf)
    .filter((code) => code !== undefined);
}

/** Whether HTTP/2 reports that the other side closed the connection before it processed the call. */
export function wasNotTaken(error: unknown): boolean {
  return causes(error).some((one) => one instanceof Error && one.message.includes("REFUSED_STREAM"));
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at: unknown = error; at !== undefined && !chain.includes(at); at = at instanceof Error ? at.cause : undefined)
    chain.push(at);
  return chain;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
