import { remoteError, TalosmithError } from "../../lib/errors.ts";
import type { HttpAnswer } from "../../lib/http/client.ts";

/** How Kubernetes refused a call: its Status object, or what there is of it. */
export interface Refusal {
  status: number;
  /** "NotFound", "AlreadyExists", "Conflict", …; empty when whoever answered was not Kubernetes. */
  reason: string;
  message: string;
  /** What is behind it, when it says so: "The disruption budget web needs 2 healthy pods and has 2 currently". */
  causes?: readonly string[];
}

export function refusal(answer: HttpAnswer): Refusal {
  const said = statusObject(answer.body);
  return {
    status: answer.status,
    reason: said?.reason ?? "",
    message: said?.message ?? (answer.body.trim().slice(0, 500) || answer.reason || "no reason given"),
    causes: said?.details?.causes?.flatMap(({ message }) => message ?? []) ?? [],
  };
}

interface StatusObject {
  kind?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { message?: string }[] };
}

function statusObject(body: string): StatusObject | undefined {
  try {
    const content = JSON.parse(body) as StatusObject | null;
    return content?.kind === "Status" ? content : undefined;
  } catch {
    return undefined;
  }
}

/** `what` is the end of "Unable to …". */
export function refused(what: string, host: string, said: Refusal): TalosmithError {
  return remoteError(errorCode(said), {
    message: `Unable to ${what}`,
    detail: `${host} answered ${said.status}${said.reason && ` ${said.reason}`}: ${said.message}`,
    ...hintFor(said),
    cause: said,
    transient: said.status === 409 || isPassing(said.status),
  });
}

function errorCode({ status }: Refusal): string {
  if (status === 401 || status === 403) return "KUBERNETES_DENIED";
  if (status === 409) return "KUBERNETES_CONFLICT";
  if (status === 400 || status === 422) return "KUBERNETES_INVALID";
  return "KUBERNETES_REFUSED";
}

function hintFor({ status }: Refusal): { hint?: string } {
  if (status === 401) return { hint: "our certificate comes from secrets.yaml: is it the one this cluster was made with?" };
  if (status === 429 || status >= 500)
    return { hint: "the API server is busy or starting; run the same command again in a minute" };
  return {};
}

/** Too many requests, or something behind the API server is not there right now. What became of a change is then not known. */
export function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 504);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof TalosmithError ? error.code : undefined;
}
