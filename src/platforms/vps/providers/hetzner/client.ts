import { isTransient, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { type HttpAnswer, HttpClient, type Meter } from "@talosmith/lib/http/client.ts";
import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Loose, list, object } from "./answers.ts";
import { isBusy, refusalOf, refused } from "./refusal.ts";

const MAX_CONNECTIONS = 4;
const IDLE_MS = 30_000;
const PAGE = 50;
/** No project has this many pages; a server that sends more does not count its pages. */
const MOST_PAGES = 200;
const LOST_PAUSES_MS = [500, 1_500, 4_000];
/** A server is locked for seconds after an action; the hourly allowance is given back call by call, one a second. */
const BUSY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

export interface HetznerAccess {
  /** "https://api.hetzner.cloud/v1" */
  url: string;
  token: Secret;
}

/** Hears why a call is retried, and can abort it. A step's context is one. */
export interface Patience {
  signal: AbortSignal;
  say?(text: string): void;
}

type Query = Readonly<Record<string, string>>;

/** A client for the Hetzner Cloud API: paths, JSON, pages and errors. Knows no nodes. */
export class HetznerClient {
  readonly #world: World;
  readonly #http: HttpClient;
  readonly #token: Secret;
  readonly #below: string;
  readonly #host: string;
  #answered = false;

  constructor(world: World, { url, token }: HetznerAccess, meter: Meter) {
    const address = new URL(url);
    if (address.protocol !== "https:" && !isLoopback(address.hostname)) throw unprotected(url);
    this.#world = world;
    this.#token = token;
    this.#host = address.host;
    this.#below = address.pathname.replace(/\/+$/, "");
    const options = { trust: { by: "system" }, maxConnections: MAX_CONNECTIONS, idleMs: IDLE_MS } as const;
    this.#http = new HttpClient(world, url, options, meter);
  }

  async get(path: string, patience: Patience, query: Query = {}): Promise<Loose> {
    for (const pause of LOST_PAUSES_MS) {
      try {
        return await this.#patiently("GET", path, patience, query);
      } catch (error) {
        // Before the first answer a silent server is more likely a wrong address than a passing fault.
        if (!(isTransient(error) && this.#answered) || isWaitedFor(error)) throw error;
        await this.#world.clock.sleep(pause, patience.signal);
      }
    }
    return this.#patiently("GET", path, patience, query);
  }

  /** Reads all pages of a list: {"servers": […], "meta": {"pagination": {"next_page"}}}. */
  async all(path: string, name: string, patience: Patience, query: Query = {}): Promise<Loose[]> {
    const items: Loose[] = [];
    let page: unknown = 1;
    for (let count = 0; typeof page === "number" && count < MOST_PAGES; count++) {
      const answer = await this.get(path, patience, { ...query, page: String(page), per_page: String(PAGE) });
      items.push(...list(answer[name], name));
      const meta = object(answer.meta ?? {}, "meta");
      page = object(meta.pagination ?? {}, "pagination").next_page;
    }
    return items;
  }

  /** Retries only when another action blocks the call; after a lost response the caller checks what exists. */
  post(path: string, body: Loose, patience: Patience): Promise<Loose> {
    return this.#patiently("POST", path, patience, {}, body);
  }

  async delete(path: string, patience: Patience): Promise<void> {
    await this.#patiently("DELETE", path, patience, {});
  }

  close(): void {
    this.#http.close();
  }

  async #patiently(method: string, path: string, patience: Patience, query: Query, body?: Loose): Promise<Loose> {
    for (const pause of BUSY_PAUSES_MS) {
      try {
        return await this.#call(method, path, patience.signal, query, body);
      } catch (error) {
        if (!isWaitedFor(error)) throw error;
        patience.say?.(`Hetzner Cloud: ${refusalOf(error)?.message ?? "busy"}; trying again`);
        await this.#world.clock.sleep(pause, patience.signal);
      }
    }
    return this.#call(method, path, patience.signal, query, body);
  }

  async #call(method: string, path: string, signal: AbortSignal, query: Query, body?: Loose): Promise<Loose> {
    const search = new URLSearchParams(query).toString();
    const answer = await this.#http.request({
      method,
      path: `${this.#below}${path}${search && `?${search}`}`,
      headers: {
        authorization: `Bearer ${this.#token.reveal()}`,
        accept: "application/json",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    this.#answered = true;
    const content = contentOf(answer);
    if (answer.status >= 200 && answer.status < 300 && content) return content;
    throw refused(answer, content, { method, path, host: this.#host });
  }
}

/** A 204 has no content. */
function contentOf({ status, body }: HttpAnswer): Loose | undefined {
  if (status === 204) return {};
  try {
    const content: unknown = parseJson(body);
    return typeof content === "object" && content !== null && !Array.isArray(content) ? (content as Loose) : undefined;
  } catch {
    return undefined;
  }
}

function isWaitedFor(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal !== undefined && isBusy(refusal);
}

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const address = parseIp(host.replace(/^\[|\]$/g, ""));
  return (
    address !== undefined &&
    ["127.0.0.0/8", "::1/128"].some((text) => {
      const network = parseNetwork(text);
      return network !== undefined && contains(network, address);
    })
  );
}

function unprotected(url: string): TalosmithError {
  return userError("UNPROTECTED_TOKEN", {
    message: `Unable to use ${url}: the token would travel unencrypted`,
    hint: "write vps.provider.url with https://, or leave it out",
  });
}
