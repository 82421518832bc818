import { type ErrorParts, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import { type Loose, listOrNone, text } from "./answers.ts";

/** The refusal of a call by the API: {"error": {"code", "message", "details"}}. */
export interface Refusal {
  status: number;
  /** "locked", "uniqueness_error"; empty when it did not say. */
  code: string;
  message: string;
}

/** Codes of refusals that pass by themselves; nothing was changed. */
const BUSY = new Set(["locked", "conflict", "rate_limit_exceeded"]);

export function refused(answer: HttpAnswer, content: Loose | undefined, asked: { method: string; path: string; host: string }) {
  const error = (content?.error ?? {}) as Loose;
  const refusal: Refusal = {
    status: answer.status,
    code: text(error.code) ?? "",
    message: text(error.message) ?? (answer.reason || "no reason given"),
  };
  const said = [refusal.code, refusal.message].filter((part) => part !== "").join(": ");
  return remoteError(codeOf(refusal), {
    message: `Hetzner Cloud refused ${asked.method} ${asked.path}`,
    detail: [`${asked.host} answered ${refusal.status}: ${said}`, ...fieldsIn(error)].join("\n"),
    ...hintFor(refusal),
    cause: refusal,
    transient: isBusy(refusal) || refusal.status >= 500,
  });
}

/** The problem of each field in an invalid_input error. */
function fieldsIn({ details }: Loose): string[] {
  if (typeof details !== "object" || details === null) return [];
  return listOrNone((details as Loose).fields, "the fields of a refusal").map(
    ({ name, messages }) => `${text(name) ?? "?"}: ${Array.isArray(messages) ? messages.join("; ") : "not accepted"}`,
  );
}

function codeOf(refusal: Refusal): string {
  if (refusal.status === 401) return "HETZNER_LOGIN";
  if (refusal.status === 403) return "HETZNER_PERMISSION";
  return isBusy(refusal) ? "HETZNER_BUSY" : "HETZNER_REFUSED";
}

function hintFor(refusal: Refusal): Pick<ErrorParts, "hint"> {
  if (refusal.status === 401)
    return { hint: "check vps.provider.token: it must exist, and belong to the project that has the servers" };
  if (refusal.status === 403)
    return {
      hint: "the token of vps.provider may only read: create one with Read & Write (console, project, Security, API tokens)",
    };
  if (refusal.code === "rate_limit_exceeded")
    return { hint: "too many calls within the hour: wait a few minutes, and run the same command again" };
  if (isBusy(refusal)) return { hint: "another action is running on it: wait until it ends, then run the same command again" };
  return {};
}

/** Recognises old versions of the API by the status alone. */
export function isBusy({ status, code }: Refusal): boolean {
  return BUSY.has(code) || status === 423 || status === 429;
}

export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof TalosmithError ? (error.cause as Partial<Refusal> | undefined) : undefined;
  return typeof cause?.status === "number" && typeof cause.code === "string" ? (cause as Refusal) : undefined;
}
