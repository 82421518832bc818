import { internalError, isTransient, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { type HttpAnswer, HttpClient, type HttpStream, type Meter } from "@talosmith/lib/http/client.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { codeOf, isCrossed, isPassingAnswer, retryAfterMs } from "./refusal.ts";

const MAX_CONNECTIONS = 8;
/** The API server drops an idle connection after 90 s. */
const IDLE_MS = 30_000;
const PAUSES_MS = [200, 600, 1_500];
/** A longer Retry-After is not waited for. */
const MAX_PAUSE_MS = 30_000;
const MOST_REFUSAL = 1024 * 1024;

/** The addresses of the API servers, and the client certificate. */
export interface KubernetesAccess {
  /** "https://address:6443", tried in order. */
  servers: readonly string[];
  /** PEM, all three. */
  ca: string;
  certificate: string;
  key: string;
}

export interface ServerRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Sent as JSON, which is also YAML. */
  body?: unknown;
  contentType?: string;
  /**
   * When the call may be repeated. "always": it is idempotent, like reading; "refused": only when the server was too busy to process it; "never": the
   * first response counts. Default: "always" for GET and "refused" for the rest.
   */
  again?: "always" | "refused" | "never";
}

export interface ServerAnswer extends HttpAnswer {
  /** The server that responded: "10.10.0.11:6443". */
  host: string;
}

/** A streamed response, or the refusal in `refused`. */
export type ServerStream = { host: string; parts: AsyncIterable<Uint8Array> } | { refused: ServerAnswer };

interface Server {
  host: string;
  http: HttpClient;
}

/** The API servers of one cluster. They are equivalent, so the first one that responds is used, and tried first the next time. */
export class Servers {
  readonly #world: World;
  readonly #access: () => Promise<KubernetesAccess>;
  readonly #meter: Meter = { calls: 0, bytes: 0 };
  #opened: Promise<Server[]> | undefined;
  /** By address, such as a VIP or a load balancer. */
  readonly #others = new Map<string, Promise<Server>>();
  #first = 0;
  #answered = false;
  #closed = false;

  constructor(world: World, access: () => Promise<KubernetesAccess>) {
    this.#world = world;
    this.#access = access;
  }

  calls(): number {
    return this.#meter.calls;
  }

  async send(request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
    return this.#patiently(againOf(request), signal, () => this.#once(request, (server) => ask(server, request, signal), signal));
  }

  /** A GET with a streamed response. `silenceMs`: how long it may be silent before it counts as lost. */
  async open(path: string, silenceMs: number, signal: AbortSignal): Promise<ServerStream> {
    const request = { method: "GET", path } as const;
    const opened = await this.#patiently("always", signal, () =>
      this.#once<ServerAnswer | OpenAnswer>(request, (server) => open(server, path, silenceMs, signal), signal),
    );
    return "parts" in opened ? opened : { refused: opened };
  }

  /** Sends a call to each server in turn until one responds usefully. `only`: to this address only. */
  async askEach<T>(
    request: ServerRequest,
    good: (answer: ServerAnswer) => T | undefined,
    signal: AbortSignal,
    only?: string,
  ): Promise<T | Error[]> {
    const errors: Error[] = [];
    for (const server of only === undefined ? await this.#servers() : [await this.#at(only)]) {
      try {
        const result = good(await ask(server, request, signal));
        if (result !== undefined) return result;
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error as Error);
      }
    }
    return errors;
  }

  close(): void {
    this.#closed = true;
    for (const opening of [this.#opened, ...this.#others.values()]) {
      Promise.resolve(opening).then(
        (opened) => {
          for (const { http } of [opened ?? []].flat()) http.close();
        },
        () => {},
      );
    }
  }

  /** Waits and retries as long as that makes sense; returns the last response. */
  async #patiently<T extends ServerAnswer | OpenAnswer>(
    again: NonNullable<ServerRequest["again"]>,
    signal: AbortSignal,
    once: () => Promise<T>,
  ): Promise<T> {
    for (const pause of again === "never" ? [] : PAUSES_MS) {
      let wish = pause;
      try {
        const answer = await once();
        if ("parts" in answer || !worthAgain(answer, again)) return answer;
        wish = retryAfterMs(answer) ?? pause;
        if (wish > MAX_PAUSE_MS) return answer;
      } catch (error) {
        // Before the first response, a silent server has probably not started yet.
        if (again !== "always" || !(isTransient(error) && this.#answered)) throw error;
      }
      await this.#world.clock.sleep(wish, signal);
    }
    return once();
  }

  async #once<T>(request: ServerRequest, askOne: (server: Server) => Promise<T>, signal: AbortSignal): Promise<T> {
    const servers = await this.#servers();
    const silent: Error[] = [];
    for (let n = 0; n < servers.length; n++) {
      const at = (this.#first + n) % servers.length;
      try {
        const answer = await askOne(servers[at] as Server);
        this.#first = at;
        this.#answered = true;
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        silent.push(error as Error);
        // The change may have taken effect without a response, so it is not sent to the next server.
        if (againOf(request) !== "always" && codeOf(error) !== "UNREACHABLE") break;
      }
    }
    throw unreachable(silent);
  }

  #servers(): Promise<Server[]> {
    this.#mustBeOpen();
    this.#opened ??= this.#access().then(
      (access) => access.servers.map((url) => this.#open(url, access)),
      (error: unknown) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }

  async #at(url: string): Promise<Server> {
    this.#mustBeOpen();
    const opened = this.#others.get(url) ?? this.#access().then((access) => this.#open(url, access));
    this.#others.set(url, opened);
    return opened;
  }

  #mustBeOpen(): void {
    if (this.#closed)
      throw internalError("KUBERNETES_CLOSED", { message: "Unable to call Kubernetes: the command has already ended" });
  }

  #open(url: string, { ca, certificate, key }: KubernetesAccess): Server {
    const trust = { by: "ca", pem: ca } as const;
    const options = { trust, certificate, key, maxConnections: MAX_CONNECTIONS, idleMs: IDLE_MS };
    return { host: new URL(url).host, http: new HttpClient(this.#world, url, options, this.#meter) };
  }
}

type OpenAnswer = { host: string; parts: HttpStream["parts"] };

function againOf({ method, again }: ServerRequest): NonNullable<ServerRequest["again"]> {
  return again ?? (method === "GET" ? "always" : "refused");
}

function worthAgain(answer: ServerAnswer, again: ServerRequest["again"]): boolean {
  // 429 is returned before a call is processed.
  return again === "always" ? isPassingAnswer(answer) || isCrossed(answer) : answer.status === 429;
}

const HEADERS = { accept: "application/json", "user-agent": "talosmith" };

async function ask(server: Server, request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
  const { method, path, body } = request;
  const answer = await server.http.request({
    method,
    path,
    headers: {
      ...HEADERS,
      ...(body !== undefined && { "content-type": request.contentType ?? "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
  return { ...answer, host: server.host };
}

async function open(server: Server, path: string, silenceMs: number, signal: AbortSignal): Promise<ServerAnswer | OpenAnswer> {
  const { host, http } = server;
  const request = { method: "GET", path, headers: HEADERS, timeoutMs: silenceMs, signal };
  const { status, reason, headers, parts } = await http.open(request);
  if (status >= 200 && status < 300) return { host, parts };
  const body: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    body.push(part);
    size += part.length;
    // A longer refusal is cut off.
    if (size > MOST_REFUSAL) break;
  }
  return { host, status, reason, headers, body: Buffer.concat(body).toString("utf8") };
}

/** Errors of the TLS handshake: a server responds, but without a certificate of the cluster's CA. */
const NOT_OURS = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/;

function unreachable(silent: readonly Error[]): TalosmithError {
  const strangers = silent.filter((error) => NOT_OURS.test((error.cause as NodeJS.ErrnoException | undefined)?.code ?? ""));
  const stranger = strangers.length > 0 && strangers.length === silent.length;
  return remoteError("KUBERNETES_UNREACHABLE", {
    message: "Unable to reach the Kubernetes API",
    detail: silent.map((error) => error.message).join("\n"),
    hint: stranger
      ? "another server answers there: its certificate is not signed by the CA in secrets.yaml"
      : "check that the control planes are switched on, and that their port 6443 can be reached from here",
    cause: silent[0],
    transient: !stranger,
  });
}
