import { type ErrorParts, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import { parseJson } from "@talosmith/lib/json.ts";

/** How Proxmox refused a call. */
export interface Refusal {
  status: number;
  /** The first line of the message: also the HTTP reason phrase, which old versions use alone. */
  reason: string;
  /** By parameter. */
  errors: Record<string, string>;
}

/** What the body of an answer holds, when it is what the API sends. */
export interface Content {
  data: unknown;
  message?: string;
  errors?: Record<string, unknown>;
}

export function contentOf(answer: HttpAnswer): Content | undefined {
  try {
    const content: unknown = parseJson(answer.body);
    return typeof content === "object" && content !== null ? ({ data: null, ...content } as Content) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Who is turned away at the door gets no body (401, some 403), a message with odd characters becomes a bare 400, and what a host says about
 * another one (595 to 599) has a reason phrase alone: so it is the message, else the reason phrase, else the little that is left.
 */
export function readRefusal(answer: HttpAnswer, content: Content | undefined): { refusal: Refusal; lines: string[] } {
  const said = typeof content?.message === "string" && content.message.trim() !== "" ? content.message : answer.reason;
  const [reason = "no reason given", ...more] = said
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const errors = Object.fromEntries(
    Object.entries(content?.errors ?? {}).map(([name, text]) => [
      name,
      inOneLine(typeof text === "string" ? text : String(text)),
    ]),
  );
  const refusal: Refusal = { status: answer.status, reason, errors };
  return { refusal, lines: [...more, ...Object.entries(errors).map(([name, text]) => `${name}: ${text}`)] };
}

/** Proxmox writes some line ends as a backslash and an n. */
function inOneLine(text: string): string {
  return text
    .split(/\n|\\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("; ");
}

/** What was asked for, and by whom. */
export interface Asked {
  method: string;
  path: string;
  host: string;
  /** Whom Proxmox knows us as. */
  identity: string;
}

/** Names the way out of a refusal; undefined when it knows none. */
export type Advisor = (refusal: Refusal, asked: Asked) => Promise<string | undefined>;

export async function refused(
  answer: HttpAnswer,
  content: Content | undefined,
  asked: Asked,
  advisor?: Advisor,
): Promise<TalosmithError> {
  const { refusal, lines } = readRefusal(answer, content);
  const advice = refusal.status === 403 ? await advisor?.(refusal, asked) : undefined;
  return remoteError(codeOf(refusal), {
    message: `Proxmox refused ${asked.method} ${asked.path}`,
    detail: [`${asked.host} answered ${refusal.status}: ${refusal.reason}`, ...lines].join("\n"),
    ...(advice === undefined ? hintFor(refusal, asked) : { hint: advice }),
    cause: refusal,
    transient: isPassing(refusal),
  });
}

function codeOf(refusal: Refusal): string {
  if (refusal.status === 401) return "PROXMOX_LOGIN";
  if (refusal.status === 403) return "PROXMOX_PERMISSION";
  return isPassing(refusal) ? "PROXMOX_BUSY" : "PROXMOX_REFUSED";
}

function hintFor(refusal: Refusal, { identity }: Asked): Pick<ErrorParts, "hint"> {
  if (refusal.status === 401)
    return {
      hint: identity.includes("!")
        ? `check proxmox.token: the token ${identity} must exist, must not have expired, and its secret must match`
        : `check proxmox.user and proxmox.password: can ${identity} log in to the Proxmox UI with them?`,
    };
  if (isLockTimeout(refusal.reason))
    return { hint: "another task is running on it (a backup, a migration): wait until it ends, then run the same command again" };
  if (refusal.status === 403) return { hint: `${identity} lacks a privilege for this` };
  if (/^only root can/i.test(refusal.reason))
    return { hint: "Proxmox allows this to no token, whatever its privileges: log in as root@pam with its password, or remove the setting" };
  if (/no quorum|cluster not ready/.test(refusal.reason))
    return { hint: "more than half of the Proxmox hosts must be online and connected: run `pvecm status` on one of them" };
  return {};
}

/** 595 to 599: the answering host could not reach the one in charge; the rest are locks held by somebody else. */
function isPassing({ status, reason }: Refusal): boolean {
  return (
    (status >= 595 && status <= 599) ||
    isLockTimeout(reason) ||
    /no worker upid|cluster not ready|no quorum|checksum mismatch \(file change/.test(reason)
  );
}

export function isLockTimeout(text: string): boolean {
  return /got timeout|got lock request timeout|VM is locked/.test(text);
}

/**
 * Why a call that failed has surely changed nothing, so that it may be made once more; undefined when it may have. A lock that was not got, a worker
 * that was not started and a host that was not reached are said before anything is done; a lost answer says nothing.
 */
export function untouched(error: unknown): string | undefined {
  if (!(error instanceof TalosmithError)) return undefined;
  if (error.code === "UNREACHABLE") return "it does not answer";
  const refusal = refusalOf(error);
  if (!refusal) return undefined;
  if (refusal.status === 595) return `the host in charge is unreachable: ${refusal.reason}`;
  if (/^(?:can't lock file|cfs-lock|VM is locked)/.test(refusal.reason)) return `locked by another task: ${refusal.reason}`;
  return /^(?:got no worker upid|cluster not ready)/.test(refusal.reason) ? refusal.reason : undefined;
}

export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof TalosmithError ? (error.cause as Partial<Refusal> | undefined) : undefined;
  return typeof cause?.status === "number" && typeof cause.reason === "string" ? (cause as Refusal) : undefined;
}

/** 595 to 599: the host that answers cannot reach the one in charge. */
export function isUnreachable(error: unknown): boolean {
  return (refusalOf(error)?.status ?? 0) >= 595;
}
