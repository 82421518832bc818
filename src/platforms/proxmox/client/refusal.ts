import { type ErrorParts, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { HttpAnswer } from "@talosmith/lib/http/client.ts";
import { parseJson } from "@talosmith/lib/json.ts";

/** The refusal of a call by Proxmox. */
export interface Refusal {
  status: number;
  /** The first line of the message: also the HTTP reason phrase, which old versions use alone. */
  reason: string;
  /** By parameter. */
  errors: Record<string, string>;
}

/** The body of a response in the format of the API. */
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
 * Reads the reason of a refusal: the message, else the reason phrase, else a fallback. A 401 and some 403 have no body, a message with unusual
 * characters becomes an empty 400, and errors about another host (595 to 599) have only a reason phrase.
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

/** The call that was refused, and its login. */
export interface Asked {
  method: string;
  path: string;
  host: string;
  /** The login's name in Proxmox. */
  identity: string;
}

/** Returns a hint that resolves a refusal, or undefined. */
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
    return {
      hint: "Proxmox allows this to no token, whatever its privileges: log in as root@pam with its password, or remove the setting",
    };
  if (/no quorum|cluster not ready/.test(refusal.reason))
    return { hint: "more than half of the Proxmox hosts must be online and connected: run `pvecm status` on one of them" };
  return {};
}

/** Whether a refusal passes by itself. 595 to 599: the responding host could not reach the one in charge; the others are locks held by other tasks. */
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
 * The reason why a failed call cannot have changed anything, so that it may be retried; undefined when it may have. A lock, a worker or a host that
 * was not available is reported before anything is done; a lost response proves nothing.
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

/** Whether the responding host could not reach the one in charge (595 to 599). */
export function isUnreachable(error: unknown): boolean {
  return (refusalOf(error)?.status ?? 0) >= 595;
}
