import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { isRecord, odd, parsed } from "./answer.ts";
import { refusal, refused } from "./refusal.ts";
import type { Servers } from "./servers.ts";

/** One kind of object: "apps/v1" "DaemonSet". */
export interface KindRef {
  apiVersion: string;
  kind: string;
}

interface KnownKind {
  kind: string;
  /** Its name in paths: "daemonsets". */
  name: string;
  namespaced: boolean;
}

/** The path names of the server's kinds, read once for each group and version. */
export class Kinds {
  readonly #servers: Servers;
  readonly #known = new Map<string, Promise<KnownKind[]>>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** The path of a kind's objects; without a namespace, of those in all namespaces. */
  async collection(of: KindRef, namespace: string | undefined, signal: AbortSignal): Promise<string> {
    const { name, namespaced } = await this.#find(of, signal);
    const inside = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    return `${groupPath(of.apiVersion)}${inside}/${name}`;
  }

  /** The path of one object. */
  async object(of: KindRef & { namespace?: string | undefined; name: string }, signal: AbortSignal): Promise<string> {
    return `${await this.collection(of, of.namespace ?? "default", signal)}/${encodeURIComponent(of.name)}`;
  }

  /** Always queries the server: a known kind may have been removed since. */
  async knows(of: KindRef, signal: AbortSignal): Promise<boolean> {
    this.#known.delete(of.apiVersion);
    return (await this.#search(of, signal)) !== undefined;
  }

  async #find(of: KindRef, signal: AbortSignal): Promise<KnownKind> {
    const found = await this.#search(of, signal);
    if (found) return found;
    throw remoteError("KUBERNETES_REFUSED", {
      message: `Unable to look up ${of.kind} objects`,
      detail: `this cluster knows no ${of.kind} in ${of.apiVersion}`,
      hint: "check that its CRD is installed, and that this Kubernetes version still has this API",
    });
  }

  async #search(of: KindRef, signal: AbortSignal): Promise<KnownKind | undefined> {
    const asked = this.#known.has(of.apiVersion);
    const found = await this.#look(of, signal);
    if (found) return found;
    // The CRD may have been installed since the last query.
    if (asked) this.#known.delete(of.apiVersion);
    const later = asked ? await this.#look(of, signal) : undefined;
    if (!later) this.#known.delete(of.apiVersion);
    return later;
  }

  async #look(of: KindRef, signal: AbortSignal): Promise<KnownKind | undefined> {
    const asking = this.#known.get(of.apiVersion) ?? this.#ask(of.apiVersion, signal);
    this.#known.set(of.apiVersion, asking);
    try {
      return (await asking).find((one) => one.kind === of.kind);
    } catch (error) {
      if (this.#known.get(of.apiVersion) === asking) this.#known.delete(of.apiVersion);
      // The abort of the first caller must not affect the others.
      if (!signal.aborted && !(error instanceof TalosmithError)) return this.#look(of, signal);
      throw error;
    }
  }

  /** GET /api/v1, /apis/{group}/{version} */
  async #ask(apiVersion: string, signal: AbortSignal): Promise<KnownKind[]> {
    const answer = await this.#servers.send({ method: "GET", path: groupPath(apiVersion) }, signal);
    if (answer.status === 404) return [];
    if (answer.status !== 200) throw refused(`find out what is in ${apiVersion}`, answer.host, refusal(answer));
    const { resources = [] } = parsed(answer, groupPath(apiVersion));
    if (!Array.isArray(resources)) throw odd(answer, groupPath(apiVersion), "lists no resources");
    // "pods/log" and the like are parts of an object, with kinds of their own.
    return resources.filter((one): one is KnownKind => isKind(one) && !one.name.includes("/"));
  }
}

function isKind(one: unknown): one is KnownKind {
  return isRecord(one) && typeof one.kind === "string" && typeof one.name === "string";
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
