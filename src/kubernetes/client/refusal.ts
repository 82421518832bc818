import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import { isRecord } from "./answer.ts";

/** The refusal of a call by Kubernetes: its Status object, as far as there is one. */
export interface Refusal {
  status: number;
  /** "NotFound", "AlreadyExists", "Conflict", …; empty when the response is not from Kubernetes. */
  reason: string;
  message: string;
  /** The cause, when it is reported: "The disruption budget web needs 2 healthy pods and has 2 currently". */
  causes?: readonly string[];
}

export function refusal(answer: HttpAnswer): Refusal {
  const said = statusObject(answer.body);
  return {
    status: answer.status,
    reason: said?.reason ?? "",
    message: (said && messageOf(said)) || answer.body.trim().slice(0, 500) || answer.reason || "no reason given",
    causes: said?.causes.flatMap(({ message }) => message || []) ?? [],
  };
}

/** The refusal in the last event of a watch. */
export function refusalIn(status: unknown): Refusal {
  const { code, reason, message } = isRecord(status) ? status : {};
  return { status: typeof code === "number" ? code : 500, reason: textOf(reason), message: textOf(message) || "no reason given" };
}

interface StatusObject {
  reason: string;
  message: string;
  causes: readonly { message: string; field: string }[];
}

const LONG = 1_000;

/** Shortens a refused change of an immutable field to the field and the reason; the message contains the whole object. */
function messageOf({ message, causes }: StatusObject): string {
  const [what, rest] = message.split(" is invalid: ");
  if (message.length <= LONG || rest === undefined || causes.length === 0) return message;
  const why = causes.map((cause) => `${cause.field}: ${cause.message.replace(/(?<=Invalid value: ).{80,}(?=: )/s, "…")}`);
  return `${what} is invalid: ${why.join(", ")}`;
}

function statusObject(body: string): StatusObject | undefined {
  let content: unknown;
  try {
    content = parseJson(body);
  } catch {
    return undefined;
  }
  if (!isRecord(content) || content.kind !== "Status") return undefined;
  const causes = isRecord(content.details) && Array.isArray(content.details.causes) ? content.details.causes : [];
  return {
    reason: textOf(content.reason),
    message: textOf(content.message),
    causes: causes.filter(isRecord).map(({ message, field }) => ({ message: textOf(message), field: textOf(field) })),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `what`: the text after "Unable to". */
export function refused(what: string, host: string, said: Refusal): TalosmithError {
  return remoteError(errorCode(said), {
    message: `Unable to ${what}`,
    detail: `${host} answered ${said.status}${said.reason && ` ${said.reason}`}: ${said.message}`,
    ...hintFor(said),
    cause: said,
    transient: said.status === 409 || (isPassing(said.status) && !isUnfit(said)),
  });
}

function errorCode(said: Refusal): string {
  const { status } = said;
  if (status === 401 || status === 403) return "KUBERNETES_DENIED";
  if (status === 409) return "KUBERNETES_CONFLICT";
  if (status === 400 || status === 422 || isUnfit(said)) return "KUBERNETES_INVALID";
  return "KUBERNETES_REFUSED";
}

function hintFor(said: Refusal): { hint?: string } {
  const { status } = said;
  if (isUnfit(said)) return {};
  if (status === 401)
    return { hint: "the client certificate comes from secrets.yaml: check that it is the one this cluster was created with" };
  if (status === 429 || status >= 500)
    return { hint: "the API server is busy or starting; run the same command again in a minute" };
  return {};
}

/** Whether an object does not fit its kind, which server-side apply reports as a 500 without a reason. */
function isUnfit({ status, message }: Refusal): boolean {
  return status === 500 && message.startsWith("failed to create typed patch object");
}

/** Whether the server is busy or broken and has not processed the call. */
export function isPassingAnswer(answer: HttpAnswer): boolean {
  return isPassing(answer.status) && !isUnfit(refusal(answer));
}

/** The Retry-After of the server; undefined when it sent none. */
export function retryAfterMs({ headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** Whether the object was changed during an apply, for which the server itself recommends a retry. */
export function isCrossed(answer: HttpAnswer): boolean {
  return answer.status === 409 && refusal(answer).message.includes("the object has been modified");
}

/** Status codes of too many requests, or of a backend that is unavailable now. The result of a change is then unknown. */
export function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 504);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof TalosmithError ? error.code : undefined;
}
