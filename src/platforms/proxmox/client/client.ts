import { remoteError, TalosmithError } from "../../../lib/errors.ts";
import { type HttpAnswer, HttpClient, type Meter } from "../../../lib/http/client.ts";
import type { Secret } from "../../../lib/secret.ts";
import type { Trust, World } from "../../../lib/world/world.ts";

/** A server has three single-threaded workers: more than a few calls at a time only wait there instead of here. */
const MAX_CONNECTIONS = 4;
/** Proxmox drops an idle connection after 5 s. */
const IDLE_MS = 4_000;
const PAUSES_MS = [200, 600, 1_500];

export type Params = Readonly<Record<string, string | number | undefined>>;

/** How Proxmox refused a call. */
export interface Refusal {
  status: number;
  /** The first line of the message: also the HTTP reason phrase, which old versions use alone. */
  reason: string;
  /** By parameter. */
  errors: Record<string, string>;
}

export interface ProxmoxAccess {
  url: string;
  trust: Trust;
  token: Secret;
}

/** The Proxmox API as it is: paths, forms, and errors made from what it says. Knows no machines. */
export class ProxmoxClient {
  readonly #world: World;
  readonly #http: HttpClient;
  readonly #token: Secret;
  readonly host: string;
  #answered = false;

  constructor(world: World, access: ProxmoxAccess, meter: Meter) {
    this.#world = world;
    this.#token = access.token;
    this.host = new URL(access.url).host;
    this.#http = new HttpClient(
      world,
      access.url,
      { trust: access.trust, maxConnections: MAX_CONNECTIONS, idleMs: IDLE_MS },
      meter,
    );
  }

  /** Asked again when the answer is lost: reading twice does no harm. */
  async get(path: string, query: Params = {}, signal?: AbortSignal): Promise<unknown> {
    for (const pause of PAUSES_MS) {
      try {
        return await this.#call("GET", path, query, undefined, signal);
      } catch (error) {
        // Before the first answer a silent server is more likely a wrong address than a passing fault.
        if (!(error instanceof TalosmithError && error.transient && this.#answered)) throw error;
        await this.#world.clock.sleep(pause, signal);
      }
    }
    return this.#call("GET", path, query, undefined, signal);
  }

  post(path: string, form: Params = {}): Promise<unknown> {
    return this.#call("POST", path, {}, form);
  }

  put(path: string, form: Params = {}): Promise<unknown> {
    return this.#call("PUT", path, {}, form);
  }

  /** Parameters of a DELETE go into the query: a body is refused. */
  delete(path: string, query: Params = {}): Promise<unknown> {
    return this.#call("DELETE", path, query);
  }

  /** "user@realm!name": who we are there. */
  get tokenId(): string {
    return this.#token.reveal().split("=")[0] ?? "";
  }

  close(): void {
    this.#http.close();
  }

  async #call(method: string, path: string, query: Params, form?: Params, signal?: AbortSignal): Promise<unknown> {
    const search = encode(query);
    const body = form === undefined ? undefined : encode(form);
    const answer = await this.#http.request({
      method,
      path: `/api2/json${path}${search && `?${search}`}`,
      headers: {
        authorization: `PVEAPIToken=${this.#token.reveal()}`,
        ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    this.#answered = true;
    const content = parse(answer);
    if (answer.status === 200 && content) return content.data;
    throw this.#refused(method, path, answer, content);
  }

  #refused(method: string, path: string, answer: HttpAnswer, content: Content | undefined): TalosmithError {
    const reason = (content?.message ?? answer.reason).split("\n")[0]?.trim() || answer.reason || "no reason given";
    const refusal: Refusal = { status: answer.status, reason, errors: content?.errors ?? {} };
    const parameters = Object.entries(refusal.errors).map(([name, text]) => `${name}: ${text.trim()}`);
    return remoteError(codeOf(refusal), {
      message: `Proxmox refused ${method} ${path}`,
      detail: [`${this.host} answered ${answer.status}: ${reason}`, ...parameters].join("\n"),
      ...hintFor(refusal, this.tokenId),
      cause: refusal,
      transient: isPassing(refusal),
    });
  }
}

interface Content {
  data: unknown;
  message?: string;
  errors?: Record<string, string>;
}

function parse(answer: HttpAnswer): Content | undefined {
  try {
    const content: unknown = JSON.parse(answer.body);
    return typeof content === "object" && content !== null ? ({ data: null, ...content } as Content) : undefined;
  } catch {
    return undefined;
  }
}

/** Proxmox splits at raw "=" and ";", so everything is percent-encoded. */
function encode(params: Params): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value !== undefined) form.set(key, String(value));
  return form.toString();
}

function codeOf(refusal: Refusal): string {
  if (refusal.status === 401) return "PROXMOX_LOGIN";
  if (refusal.status === 403) return "PROXMOX_PERMISSION";
  return isPassing(refusal) ? "PROXMOX_BUSY" : "PROXMOX_REFUSED";
}

function hintFor(refusal: Refusal, name: string): { hint?: string } {
  if (refusal.status === 401) return { hint: `check proxmox.token: is ${name} there, not expired, and its secret right?` };
  if (isLockTimeout(refusal.reason))
    return { hint: "something else is at work on it (a backup, a migration): let it end, and run the same command again" };
  if (refusal.status !== 403) return {};
  const [, path, privilege] = /\((\/[^,]*), ([^)]*)\)/.exec(refusal.reason) ?? [];
  if (!path) return { hint: `the token ${name} lacks a privilege for this` };
  return {
    hint: `the token ${name} lacks ${privilege} on ${path}. As root on the Proxmox host, add it to the role it has there:\n  pveum role modify <role> --append 1 --privs "${privilege}"`,
  };
}

/** 595 to 599: the answering host could not reach the one in charge; the rest are locks held by somebody else. */
function isPassing({ status, reason }: Refusal): boolean {
  return (
    (status >= 595 && status <= 599) ||
    isLockTimeout(reason) ||
    /no worker upid|cluster not ready|checksum mismatch \(file change/.test(reason)
  );
}

export function isLockTimeout(text: string): boolean {
  return /got timeout|got lock request timeout|VM is locked/.test(text);
}

export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof TalosmithError ? (error.cause as Partial<Refusal> | undefined) : undefined;
  return typeof cause?.status === "number" && typeof cause.reason === "string" ? (cause as Refusal) : undefined;
}
