import type { Json } from "@talosmith/lib/json.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { KubernetesObject } from "../objects.ts";
import { parsed, parsedObject } from "./answer.ts";
import { followLog } from "./follow-logs.ts";
import { type KindRef, Kinds } from "./kinds.ts";
import { type ListRef, listAll } from "./list.ts";
import { codeOf, refusal, refused } from "./refusal.ts";
import { type KubernetesAccess, type ServerAnswer, type ServerRequest, Servers } from "./servers.ts";
import { type WatchEvent, watchAll } from "./watch.ts";

export type { KubernetesAccess, ListRef, WatchEvent };

export interface ObjectRef extends KindRef {
  /** "default" when it is absent for a namespaced kind. */
  namespace?: string;
  name: string;
}

export interface PodRef {
  namespace: string;
  name: string;
  container?: string;
}

/** The result of an eviction. Blocked: not possible now, because of a disruption budget or a busy server; it may be repeated. */
export type Eviction = { is: "leaving" } | { is: "gone" } | { is: "blocked"; why: string };

export interface DeleteOptions {
  propagation?: "Background" | "Foreground";
  /** Only this very object, not a later one of the same name. */
  uid?: string;
}

/** The parts of the Kubernetes API that talosmith uses. Rejects with a TalosmithError; errors that a retry may resolve are transient. */
export interface KubernetesClient {
  /** Whether any server reports that it is ready. */
  ready(signal: AbortSignal): Promise<true | { reason: string }>;
  /** Whether the server behind one address is ready: a VIP, a load balancer. */
  readyAt(url: string, signal: AbortSignal): Promise<true | { reason: string }>;
  /** "v1.36.3" */
  version(signal: AbortSignal): Promise<string>;
  get<T extends KubernetesObject>(of: ObjectRef, signal: AbortSignal): Promise<T | undefined>;
  list<T extends KubernetesObject>(of: ListRef, signal: AbortSignal): Promise<T[]>;
  /** Server-side apply as field manager talosmith, by force. */
  apply<T extends KubernetesObject>(object: T, signal: AbortSignal): Promise<T>;
  /** The result of `apply` without any change. Rejects as `apply` would. */
  tryApply<T extends KubernetesObject>(object: T, signal: AbortSignal): Promise<T>;
  /** Whether the cluster knows the kind. */
  knows(kind: KindRef, signal: AbortSignal): Promise<boolean>;
  /** Yields existing objects as `added`, then every change, until the signal is aborted. Recovers from lost connections and expired positions. */
  watch<T extends KubernetesObject>(of: ListRef, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
  create<T extends KubernetesObject>(object: T, signal: AbortSignal): Promise<T>;
  /** False when it did not exist. */
  delete(of: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<boolean>;
  /** Applies a JSON merge patch: unnamed fields stay. False when the object does not exist; it is not created. */
  merge(of: ObjectRef, patch: Json, signal: AbortSignal): Promise<boolean>;
  /** Evicts a pod if its disruption budget allows; only this very pod, not a later one of the same name. */
  evict(pod: { namespace: string; name: string; uid?: string | undefined }, signal: AbortSignal): Promise<Eviction>;
  logs(pod: PodRef, options: { tailLines?: number }, signal: AbortSignal): Promise<string>;
  /** Yields its lines as they arrive, until the container ends or the signal is aborted. */
  followLogs(pod: PodRef, options: { tailLines?: number }, signal: AbortSignal): AsyncIterable<string>;
  /** The number of calls so far. */
  calls(): number;
  close(): void;
}

const MANAGER = "fieldManager=talosmith";

/** `access` is called before the first request: the cluster's address may not be known earlier. */
export function openKubernetes(world: World, access: () => Promise<KubernetesAccess>): KubernetesClient {
  const servers = new Servers(world, access);
  const kinds = new Kinds(servers);

  async function call(what: string, request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const answer = await servers.send(request, signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refused(what, answer.host, refusal(answer));
  }

  /** Undefined when Kubernetes itself reports that the object does not exist; a 404 of another server proves nothing. */
  async function callUnlessAbsent(what: string, request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer | undefined> {
    const answer = await servers.send(request, signal);
    const said = refusal(answer);
    if (answer.status === 404 && said.reason === "NotFound") return undefined;
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refused(what, answer.host, said);
  }

  async function apply<T extends KubernetesObject>(what: string, object: T, how: string, signal: AbortSignal): Promise<T> {
    const path = await kinds.object(refOf(object), signal);
    // A forced apply by the same manager has the same result when it is repeated.
    const request = { method: "PATCH", path: `${path}?${MANAGER}&force=true${how}`, body: object, again: "always" } as const;
    return parsedObject<T>(await call(what, { ...request, contentType: "application/apply-patch+yaml" }, signal), path);
  }

  /** GET /readyz */
  async function ready(signal: AbortSignal, only?: string): Promise<true | { reason: string }> {
    const reasons: string[] = [];
    const judge = (answer: ServerAnswer) => {
      if (answer.status === 200) return true;
      const said = refusal(answer);
      if (answer.status === 401 || answer.status === 403) throw refused("ask whether Kubernetes is ready", answer.host, said);
      reasons.push(`${answer.host} is not ready: ${unready(said.message)}`);
      return undefined;
    };
    const found = await servers.askEach({ method: "GET", path: "/readyz" }, judge, signal, only);
    if (found === true) return true;
    const denied = found.find((error) => codeOf(error) === "KUBERNETES_DENIED");
    if (denied && reasons.length === 0) throw denied;
    return { reason: [...reasons, ...found.map((error) => error.message)].join("; ") };
  }

  return {
    ready: (signal) => ready(signal),
    readyAt: (url, signal) => ready(signal, url),

    async version(signal) {
      const path = "/version";
      const answer = await call("ask Kubernetes for its version", { method: "GET", path }, signal);
      const { gitVersion } = parsed(answer, path);
      return typeof gitVersion === "string" ? gitVersion : "";
    },

    async get<T extends KubernetesObject>(of: ObjectRef, signal: AbortSignal) {
      const path = await kinds.object(of, signal);
      const answer = await callUnlessAbsent(`read ${nameOf(of)}`, { method: "GET", path }, signal);
      return answer && parsedObject<T>(answer, path);
    },

    async list<T extends KubernetesObject>(of: ListRef, signal: AbortSignal) {
      return (await listAll<T>(servers, await kinds.collection(of, of.namespace, signal), of, signal)).items;
    },

    async *watch<T extends KubernetesObject>(of: ListRef, signal: AbortSignal) {
      if (signal.aborted) return;
      const path = await kinds.collection(of, of.namespace, signal);
      yield* watchAll<T>(servers, world.clock, path, of, signal);
    },

    knows: (kind, signal) => kinds.knows(kind, signal),
    apply: (object, signal) => apply(`apply ${nameOf(refOf(object))}`, object, "", signal),
    tryApply: (object, signal) => apply(`try ${nameOf(refOf(object))}`, object, "&dryRun=All", signal),

    async create<T extends KubernetesObject>(object: T, signal: AbortSignal) {
      const of = refOf(object);
      const path = await kinds.collection(of, of.namespace ?? "default", signal);
      return parsedObject<T>(
        await call(`create ${nameOf(of)}`, { method: "POST", path: `${path}?${MANAGER}`, body: object }, signal),
        path,
      );
    },

    async delete(of, options, signal) {
      const path = await kinds.object(of, signal);
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: options.propagation ?? "Background",
        ...(options.uid !== undefined && { preconditions: { uid: options.uid } }),
      };
      return (await callUnlessAbsent(`delete ${nameOf(of)}`, { method: "DELETE", path, body }, signal)) !== undefined;
    },

    async merge(of, patch, signal) {
      const path = await kinds.object(of, signal);
      const request = { method: "PATCH", path: `${path}?${MANAGER}`, body: patch } as const;
      const merging = { ...request, contentType: "application/merge-patch+json" };
      return (await callUnlessAbsent(`change ${nameOf(of)}`, merging, signal)) !== undefined;
    },

    async evict({ namespace, name, uid }, signal) {
      const path = `${podPath({ namespace, name })}/eviction`;
      const body = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name, namespace },
        ...(uid !== undefined && { deleteOptions: { preconditions: { uid } } }),
      };
      const answer = await servers.send({ method: "POST", path, body, again: "never" }, signal);
      if (answer.status >= 200 && answer.status < 300) return { is: "leaving" };
      const said = refusal(answer);
      // 409: the name belongs to another pod by now.
      if ((answer.status === 404 && said.reason === "NotFound") || answer.status === 409) return { is: "gone" };
      if (answer.status === 429) return { is: "blocked", why: said.causes?.join("; ") || said.message };
      throw refused(`evict pod ${namespace}/${name}`, answer.host, said);
    },

    async logs(pod, options, signal) {
      const query = new URLSearchParams();
      if (pod.container !== undefined) query.set("container", pod.container);
      if (options.tailLines !== undefined) query.set("tailLines", String(options.tailLines));
      const path = `${podPath(pod)}/log?${query}`;
      return (await call(`read the log of pod ${pod.name}`, { method: "GET", path }, signal)).body;
    },

    async *followLogs({ container, ...pod }, { tailLines }, signal) {
      yield* followLog(servers, world.clock, { name: pod.name, path: podPath(pod), container, tailLines }, signal);
    },

    calls: () => servers.calls(),
    close: () => servers.close(),
  };
}

function refOf(object: KubernetesObject): ObjectRef {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

function podPath({ namespace, name }: PodRef): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

function nameOf(of: ObjectRef): string {
  return `${of.kind} ${of.namespace === undefined ? "" : `${of.namespace}/`}${of.name}`;
}

/** The failing checks in a response of /readyz. */
function unready(message: string): string {
  const failing = [...message.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name);
  return failing.length === 0 ? (message.split("\n")[0] ?? "") : failing.join(", ");
}
