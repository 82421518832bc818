import { isTransient } from "@talosmith/lib/errors.ts";
import { type BodyStream, type HttpAnswer, HttpClient, type Meter } from "@talosmith/lib/http/client.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { ProxmoxAccess } from "../config/config-on-proxmox.ts";
import { type Login, loginOf } from "./login.ts";
import { type Advisor, contentOf, type Refusal, refused, untouched } from "./refusal.ts";
import { multipart, type UploadFields, type UploadFile } from "./upload.ts";

export { isLockTimeout, refusalOf } from "./refusal.ts";

/** A server has three single-threaded workers: more than a few calls at a time only wait there instead of here. */
const MAX_CONNECTIONS = 4;
/** Proxmox drops an idle connection after 5 s, and any after 100 calls. */
const IDLE_MS = 4_000;
const MAX_CALLS = 95;
const READ_PAUSES_MS = [200, 600, 1_500];
/** Proxmox itself waits ten seconds for a lock before it reports the failure. */
const WRITE_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** A host that is silent for this long during an upload is given up. */
const UPLOAD_SILENCE_MS = 5 * 60_000;

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Hears why a call is retried, and can abort it. A step's context is one. */
export interface Patience {
  signal?: AbortSignal;
  say?(text: string): void;
}

/** A client for the Proxmox API: paths, forms and errors. Knows no machines. */
export class ProxmoxClient {
  readonly #world: World;
  readonly #http: HttpClient;
  readonly #login: Login;
  readonly host: string;
  /** Names the privilege that a 403 is about, from the needs of the config. */
  advisor: Advisor | undefined;
  #answered = false;

  constructor(world: World, access: ProxmoxAccess, meter: Meter) {
    this.#world = world;
    this.host = new URL(access.url).host;
    this.#http = new HttpClient(
      world,
      access.url,
      { trust: access.tls, maxConnections: MAX_CONNECTIONS, idleMs: IDLE_MS, maxCallsPerConnection: MAX_CALLS },
      meter,
    );
    this.#login = loginOf(access, world.clock, this.host, (method, path, form) => this.#send(method, path, {}, {}, form));
  }

  /** The owner of the tasks that this client starts: "user@realm!name", or "user@realm" by password. */
  get identity(): string {
    return this.#login.identity;
  }

  /** Retries after a lost response: reading twice is harmless. */
  async get(path: string, query: Params = {}, signal?: AbortSignal): Promise<unknown> {
    for (const pause of READ_PAUSES_MS) {
      try {
        return await this.#call("GET", path, query, undefined, signal);
      } catch (error) {
        // Before the first answer a silent server is more likely a wrong address than a passing fault.
        if (!(isTransient(error) && this.#answered)) throw error;
        await this.#world.clock.sleep(pause, signal);
      }
    }
    return this.#call("GET", path, query, undefined, signal);
  }

  post(path: string, form: Params = {}, patience?: Patience): Promise<unknown> {
    return this.#change("POST", path, {}, form, patience);
  }

  put(path: string, form: Params = {}, patience?: Patience): Promise<unknown> {
    return this.#change("PUT", path, {}, form, patience);
  }

  /** Parameters of a DELETE go into the query: a body is refused. */
  delete(path: string, query: Params = {}, patience?: Patience): Promise<unknown> {
    return this.#change("DELETE", path, query, undefined, patience);
  }

  /** Uploads a file as a stream; responds like a POST. A missing permission is refused before the file is read. */
  async upload(path: string, fields: UploadFields, file: UploadFile, signal?: AbortSignal): Promise<unknown> {
    const boundary = `talosmith-${Buffer.from(this.#world.random.bytes(16)).toString("hex")}`;
    return this.#call("POST", path, {}, multipart(fields, file, boundary), signal);
  }

  /** The advice for a refused call, when there is one. */
  async advice(refusal: Refusal, method: string, path: string): Promise<string | undefined> {
    const { host, identity } = this;
    return this.advisor?.(refusal, { method, path, host, identity });
  }

  close(): void {
    this.#http.close();
  }

  /** Retries only when the call cannot have taken effect; after a lost response the caller checks what exists. */
  async #change(method: string, path: string, query: Params, form: Params | undefined, patience?: Patience): Promise<unknown> {
    for (const pause of WRITE_PAUSES_MS) {
      try {
        return await this.#call(method, path, query, form, patience?.signal);
      } catch (error) {
        const why = this.#answered ? untouched(error) : undefined;
        if (why === undefined) throw error;
        patience?.say?.(`${why}; trying again`);
        await this.#world.clock.sleep(pause, patience?.signal);
      }
    }
    return this.#call(method, path, query, form, patience?.signal);
  }

  async #call(method: string, path: string, query: Params, body: Body | undefined, signal?: AbortSignal): Promise<unknown> {
    let answer = await this.#send(method, path, await this.#login.headers(method), query, body, signal);
    // Refused before it was processed, so nothing has changed.
    if (answer.status === 401 && this.#login.again())
      answer = await this.#send(method, path, await this.#login.headers(method), query, body, signal);
    const content = contentOf(answer);
    if (answer.status === 200 && content) return content.data;
    const { host, identity, advisor } = this;
    throw await refused(answer, content, { method, path, host, identity }, advisor);
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    query: Params,
    body: Body | undefined,
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    const search = encode(query);
    const streamed = isStream(body);
    const answer = await this.#http.request({
      method,
      path: `/api2/json${path}${search && `?${search}`}`,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-type": streamed ? body.type : "application/x-www-form-urlencoded" }),
      },
      ...(body !== undefined && { body: streamed ? body : encode(body) }),
      ...(streamed && { timeoutMs: UPLOAD_SILENCE_MS }),
      ...(signal && { signal }),
    });
    this.#answered = true;
    return answer;
  }
}

type Body = Params | (BodyStream & { type: string });

function isStream(body: Body | undefined): body is BodyStream & { type: string } {
  return body !== undefined && typeof (body as Partial<BodyStream>).open === "function";
}

/** Proxmox splits at raw "=" and ";", so everything is percent-encoded. */
function encode(params: Params): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value !== undefined) form.set(key, String(value));
  return form.toString();
}
