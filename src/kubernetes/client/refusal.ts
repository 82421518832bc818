import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import { isRecord } from "./answer.ts";

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
    message: (said && messageOf(said)) || answer.body.trim().slice(0, 500) || answer.reason || "no reason given",
    causes: said?.causes.flatMap(({ message }) => message || []) ?? [],
  };
}

/** The same from the last words of a watch. */
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

/** Whoever changes what cannot change is shown the whole of it, in thousands of letters; a person needs to know where and why. */
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

/** `what` is the end of "Unable to …". */
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

/** An object that does not fit its kind is no fault of the server, although server-side apply says 500 to it, without a reason. */
function isUnfit({ status, message }: Refusal): boolean {
  return status === 500 && message.startsWith("failed to create typed patch object");
}

/** Is it the answer of a server that is busy or out of order, and not of one that has looked at what was asked? */
export function isPassingAnswer(answer: HttpAnswer): boolean {
  return isPassing(answer.status) && !isUnfit(refusal(answer));
}

/** When to come back, as the server wishes it; undefined when it has no wish. */
export function retryAfterMs({ headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** Somebody else changed the object between two moments of one apply; the server's own words are to send it again. */
export function isCrossed(answer: HttpAnswer): boolean {
  return answer.status === 409 && refusal(answer).message.includes("the object has been modified");
}

/** Too many requests, or something behind the API server is not there right now. What became of a change is then not known. */
export function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 504);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof TalosmithError ? error.code : undefined;
}
