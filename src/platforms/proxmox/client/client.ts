import { TalosmithError } from "@talosmith/lib/errors.ts";
import { type BodyStream, type HttpAnswer, HttpClient, type Meter } from "@talosmith/lib/http/client.ts";
import type { Trust, World } from "@talosmith/lib/world/world.ts";
import type { ProxmoxLogin } from "../config/config-on-proxmox.ts";
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
/** Proxmox has waited for a lock for ten seconds itself before it says so. */
const WRITE_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** A host that is silent for so long in the middle of an upload is not coming back. */
const UPLOAD_SILENCE_MS = 5 * 60_000;

export type Params = Readonly<Record<string, string | number | undefined>>;

export interface ProxmoxAccess {
  url: string;
  trust: Trust;
  login: ProxmoxLogin;
}

/** Who waits while a call is made again: told why, and able to stop it. A step's context is one. */
export interface Patience {
  signal?: AbortSignal;
  say?(text: string): void;
}

/** The Proxmox API as it is: paths, forms, and errors made from what it says. Knows no machines. */
export class ProxmoxClient {
  readonly #world: World;
  readonly #http: HttpClient;
  readonly #login: Login;
  readonly host: string;
  /** Whoever knows what is wanted from this Proxmox, and so which privilege a 403 is about. */
  advisor: Advisor | undefined;
  #answered = false;

  constructor(world: World, access: ProxmoxAccess, meter: Meter) {
    this.#world = world;
    this.host = new URL(access.url).host;
    this.#http = new HttpClient(
      world,
      access.url,
      { trust: access.trust, maxConnections: MAX_CONNECTIONS, idleMs: IDLE_MS, maxCallsPerConnection: MAX_CALLS },
      meter,
    );
    this.#login = loginOf(access.login, world.clock, this.host, (method, path, form) => this.#send(method, path, {}, {}, form));
  }

  /** Whom tasks of ours belong to: "user@realm!name", or "user@realm" by password. */
  get identity(): string {
    return this.#login.identity;
  }

  /** Asked again when the answer is lost: reading twice does no harm. */
  async get(path: string, query: Params = {}, signal?: AbortSignal): Promise<unknown> {
    for (const pause of READ_PAUSES_MS) {
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

  /** Sends a file without ever having the whole of it; answers like a POST. Who may not is turned away at the door, before it is read. */
  async upload(path: string, fields: UploadFields, file: UploadFile, signal?: AbortSignal): Promise<unknown> {
    const boundary = `talosmith-${Buffer.from(this.#world.random.bytes(16)).toString("hex")}`;
    return this.#call("POST", path, {}, multipart(fields, file, boundary), signal);
  }

  /** The way out of being forbidden something, where somebody knows one. */
  async advice(refusal: Refusal, method: string, path: string): Promise<string | undefined> {
    const { host, identity } = this;
    return this.advisor?.(refusal, { method, path, host, identity });
  }

  close(): void {
    this.#http.close();
  }

  /** Made again only when nothing can have happened; a lost answer is for the caller, who looks at what is there. */
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
    // Turned away at the door, so nothing has happened.
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
