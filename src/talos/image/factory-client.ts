import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { type HttpAnswer, HttpClient, type HttpRequest, type Meter } from "@talosmith/lib/http/client.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import type { World } from "@talosmith/lib/world/world.ts";

const ASK_LIMIT_MS = 5 * 60_000;

/** The image factory's HTTP API, also below a path of its host. */
export class FactoryClient {
  readonly #http: HttpClient;
  readonly #address: string;
  readonly #below: string;

  constructor(world: World, address: string, meter: Meter) {
    this.#address = address;
    this.#below = new URL(address).pathname.replace(/\/+$/, "");
    this.#http = new HttpClient(world, address, { trust: { by: "system" }, maxConnections: 1, idleMs: 4_000 }, meter);
  }

  close(): void {
    this.#http.close();
  }

  /** Whether the schematic is registered. */
  async knows(id: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#ask({ method: "GET", path: `/schematics/${id}`, signal });
    if (answer.status === 404) return false;
    if (answer.status !== 200) throw this.refused(`look up the schematic ${id.slice(0, 8)}`, answer);
    return true;
  }

  /** Registers a schematic; repeating it is harmless. All URLs contain the id computed here, so the factory must return the same one. */
  async tell(yaml: string, id: string, signal: AbortSignal): Promise<void> {
    const headers = { "content-type": "application/yaml" };
    const answer = await this.#ask({ method: "POST", path: "/schematics", headers, body: yaml, signal });
    if (answer.status >= 300) throw this.refused("register the schematic", answer);
    const theirs = idIn(answer.body);
    if (theirs === id) return;
    throw remoteError("FACTORY_DISAGREES", {
      message: "Unable to use this image factory: it returns another id for the schematic",
      detail: `talosmith: ${id}; ${this.#address}: ${theirs ?? "no id in its answer"}`,
      hint: "check that image.factory is an image factory without logins, which add their user to every schematic; else give the id it names as image.schematic, without extensions and kernelArgs",
    });
  }

  /**
   * Requests an image: the first request starts the build and waits for it. A status below 400 means that it exists; some factories redirect to their
   * storage.
   */
  head(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    return this.#ask({ method: "HEAD", path, signal, timeoutMs: ASK_LIMIT_MS });
  }

  /** The SHA-256 of a file; undefined when the factory does not publish it: the public one requires a subscription. */
  async checksum(path: string, signal: AbortSignal): Promise<string | undefined> {
    const { status, body } = await this.#ask({ method: "GET", path: `${path}.sha256`, signal, timeoutMs: ASK_LIMIT_MS });
    return status === 200 ? /^[0-9a-f]{64}\b/i.exec(body.trim())?.[0]?.toLowerCase() : undefined;
  }

  /** The Talos releases that it can build; undefined when it does not list them. */
  async releases(signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const { status, body } = await this.#ask({ method: "GET", path: "/versions", signal });
    const list = status === 200 ? jsonIn(body) : undefined;
    return Array.isArray(list) ? new Set(list.filter((one) => typeof one === "string")) : undefined;
  }

  /** The names of the available extensions of a release; undefined when the factory does not list them. */
  async extensions(talos: string, signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const { status, body } = await this.#ask({ method: "GET", path: `/version/${talos}/extensions/official`, signal });
    return status === 200 ? namesIn(body) : undefined;
  }

  refused(what: string, { status, reason, body }: HttpAnswer): TalosmithError {
    const why = body.trim().split("\n")[0] || reason;
    return remoteError("FACTORY_REFUSED", {
      message: `Unable to ${what} at the image factory`,
      detail: `${this.#address} answered ${status}: ${why}`,
      hint: "check cluster.talos, image.schematic, and the extensions (each must exist for this Talos release)",
      transient: status >= 500 || status === 429,
    });
  }

  async #ask(request: HttpRequest): Promise<HttpAnswer> {
    try {
      return await this.#http.request({ ...request, path: `${this.#below}${request.path}` });
    } catch (error) {
      if (!(error instanceof TalosmithError)) throw error;
      throw remoteError("FACTORY_SILENT", {
        message: `Unable to ask the image factory at ${this.#address}`,
        detail: error.message,
        hint: "check image.factory, and that it can be reached from here; it is needed only until every machine has its image",
        cause: error,
        transient: error.transient,
      });
    }
  }
}

function idIn(body: string): string | undefined {
  const { id } = (jsonIn(body) ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

function namesIn(body: string): ReadonlySet<string> | undefined {
  const list = jsonIn(body);
  if (!Array.isArray(list)) return undefined;
  return new Set(list.flatMap((one: { name?: unknown } | null) => (typeof one?.name === "string" ? [one.name] : [])));
}

function jsonIn(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
