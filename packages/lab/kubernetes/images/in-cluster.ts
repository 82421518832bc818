import type { Loose } from "../objects.ts";
import type { Process } from "../pods/program.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** An error response of the API, with its message. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The API as a program in a pod uses it: with its service account, and only that account's rights. */
export class InCluster {
  readonly #run: Process;
  readonly #base: string;

  constructor(run: Process) {
    this.#run = run;
    const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = run.env;
    this.#base = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  async #send(method: string, path: string, body?: Loose, type = "application/json"): Promise<Loose> {
    const { [`${ACCOUNT}/ca.crt`]: ca = "", [`${ACCOUNT}/token`]: token = "" } = this.#run.files;
    const answer = await this.#run.fetch(`${this.#base}${path}`, {
      method,
      ca,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        ...(body !== undefined && { "Content-Type": type }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = answer.body.toString("utf8");
    if (answer.status < 400) return text === "" ? undefined : JSON.parse(text);
    let message = text.trim();
    try {
      message = JSON.parse(text).message;
    } catch {
      // Some error responses are not a Status.
    }
    throw new Refused(answer.status, message);
  }

  /** undefined when the object does not exist. */
  async read(path: string): Promise<Loose> {
    try {
      return await this.#send("GET", path);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** An unknown kind has no objects. */
  async list(path: string): Promise<Loose[]> {
    return (await this.read(path))?.items ?? [];
  }

  create(path: string, object: Loose): Promise<Loose> {
    return this.#send("POST", path, object);
  }

  replace(path: string, object: Loose): Promise<Loose> {
    return this.#send("PUT", path, object);
  }

  merge(path: string, patch: Loose): Promise<Loose> {
    return this.#send("PATCH", path, patch, "application/merge-patch+json");
  }

  async remove(path: string): Promise<void> {
    try {
      await this.#send("DELETE", path);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
  }

  /** Creates the object unless it exists. */
  async ensure(path: string, object: Loose): Promise<void> {
    try {
      await this.create(path, object);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
  }

  /** Writes an object's status, unless it is unchanged. */
  async report(path: string, object: Loose, status: Loose, subresource = true): Promise<void> {
    if (covers(object.status, status)) return;
    await this.merge(subresource ? `${path}/status` : path, { status });
  }
}

function covers(live: Loose, wanted: Loose): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  if (typeof wanted === "object" && wanted !== null)
    return typeof live === "object" && live !== null && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
  return live === wanted || (wanted === null && live === undefined);
}

/** A condition as controllers write it; its transition time changes only with its status. */
export function condition(
  run: Process,
  object: Loose,
  type: string,
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
): Loose {
  const old = (object.status?.conditions ?? []).find((one: Loose) => one.type === type);
  const same = old?.status === status && old.reason === reason && old.message === message;
  return {
    type,
    status,
    reason,
    message,
    observedGeneration: object.metadata.generation,
    lastTransitionTime: same ? old.lastTransitionTime : new Date(run.now()).toISOString().replace(/\.\d+Z$/, "Z"),
  };
}
