import type { KubeObject, Loose, Manifest } from "../objects.ts";
import type { PodAnswer, Process } from "../pods/program.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** An error response of the API, with its status. */
export class ApiRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The cluster as a pod reaches it: the address from its environment variables, the identity from its service account's files. */
export class ClusterApi {
  readonly #run: Process;
  readonly #base: string;
  readonly #kinds = new Map<string, { resource: string; namespaced: boolean }>();

  constructor(run: Process) {
    this.#run = run;
    const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = run.env;
    this.#base = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  get namespace(): string {
    return this.#run.files[`${ACCOUNT}/namespace`] ?? "default";
  }

  async #send(method: string, path: string, body?: Loose, type = "application/json"): Promise<PodAnswer> {
    const token = this.#run.files[`${ACCOUNT}/token`];
    return this.#run.fetch(`${this.#base}${path}`, {
      method,
      ca: this.#run.files[`${ACCOUNT}/ca.crt`] ?? "",
      headers: {
        Accept: "application/json",
        "User-Agent": "Helm/3.19.0",
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": type }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** The body of a successful response; undefined for 404 to a read or delete. */
  async call(method: string, path: string, body?: Loose, type?: string): Promise<Loose> {
    const answer = await this.#send(method, path, body, type);
    const text = answer.body.toString("utf8");
    if (answer.status === 404 && (method === "GET" || method === "DELETE")) return undefined;
    if (answer.status < 400) return text === "" ? undefined : JSON.parse(text);
    let message = text.trim();
    try {
      message = JSON.parse(text).message;
    } catch {
      // Some error responses are not a Status.
    }
    throw new ApiRefusal(answer.status, message);
  }

  /** Helm's first request; when it fails, Helm stops. */
  async version(): Promise<string> {
    try {
      return (await this.call("GET", "/version"))?.gitVersion ?? "";
    } catch (error) {
      if (this.#run.signal.aborted) throw error;
      const why =
        error instanceof ApiRefusal ? `the server has asked for the client to provide credentials` : (error as Error).message;
      throw new Error(
        `Kubernetes cluster unreachable: ${error instanceof ApiRefusal ? why : `Get "${this.#base}/version": ${why}`}`,
      );
    }
  }

  async apiVersions(): Promise<string[]> {
    const groups: Loose[] = (await this.call("GET", "/apis"))?.groups ?? [];
    return ["v1", ...groups.flatMap((group) => group.versions.map((version: Loose) => version.groupVersion))];
  }

  async #kind(apiVersion: string, kind: string): Promise<{ resource: string; namespaced: boolean }> {
    const key = `${apiVersion} ${kind}`;
    const known = this.#kinds.get(key);
    if (known) return known;
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const list: Loose = await this.call("GET", root);
    for (const row of list?.resources ?? []) {
      if (!row.name.includes("/"))
        this.#kinds.set(`${apiVersion} ${row.kind}`, { resource: row.name, namespaced: row.namespaced });
    }
    const found = this.#kinds.get(key);
    if (!found) {
      throw new Error(
        `resource mapping not found for name: "" namespace: "" from "": no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}\nensure CRDs are installed first`,
      );
    }
    return found;
  }

  /** Forgets the known kinds, because definitions were added. */
  forgetKinds(): void {
    this.#kinds.clear();
  }

  /** The path of an object; its namespace is the release's unless it sets another. */
  async place(
    { apiVersion, kind, metadata }: Manifest,
    namespace: string,
  ): Promise<{ list: string; one: string; namespace?: string }> {
    const { resource, namespaced } = await this.#kind(apiVersion, kind);
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const its = metadata.namespace ?? namespace;
    const list = namespaced ? `${root}/namespaces/${its}/${resource}` : `${root}/${resource}`;
    return { list, one: `${list}/${encodeURIComponent(metadata.name ?? "")}`, ...(namespaced && { namespace: its }) };
  }

  async read(manifest: Manifest, namespace: string): Promise<KubeObject | undefined> {
    return this.call("GET", (await this.place(manifest, namespace)).one);
  }
}
