import { remoteError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Eviction, KubernetesClient, ListRef, ObjectRef, WatchEvent } from "../../../kubernetes/client/kubernetes-client.ts";
import { refused } from "../../../kubernetes/client/refusal.ts";
import type { Job, KubernetesObject, Pod } from "../../../kubernetes/objects.ts";
import { matches, mergePatch, serverSideApply } from "./memory-apply.ts";
import { type HelmMove, helmBegins, helmFinishes } from "./memory-helm.ts";

type Stored = KubernetesObject & { [key: string]: unknown };
const keyOf = (of: { kind: string; namespace?: string | undefined; name: string }) =>
  `${of.kind} ${of.namespace ?? ""}/${of.name}`;

const ALWAYS_THERE = new Set(["kube-system", "default"]);

/** The phase of a Job's pod; each call to the cluster advances it. */
const STEPS = ["made", "running", "recorded", "ended"] as const;

export interface Mood {
  /** Every Helm that runs fails with this in its log. */
  fails?: string;
  /** The registry's error when the image cannot be pulled. */
  noImage?: string;
}

/** A Kubernetes in memory, with Jobs that run a Helm. */
export class MemoryCluster implements KubernetesClient {
  objects = new Map<string, Stored>();
  mood: Mood = {};
  readonly asked: string[] = [];
  /** Called before and after each call; may throw. */
  onCall: (what: string, when: "before" | "after") => void = () => {};
  /** The number of Helm runs started. */
  helms = 0;
  /** How often one started while another ran. */
  overlaps = 0;
  /** The objects of a chart, by its name. */
  readonly charts = new Map<string, string>();
  /** Called when Helm has finished a release. */
  onInstalled: (release: string) => void = () => {};
  /** Unknown kinds: initially those of Flux and Argo CD. */
  readonly unknown = new Set<string>(["HelmRelease", "Application"]);
  /** Refuses to apply an object, by throwing. */
  onApply: (object: KubernetesObject) => void = () => {};
  #uid = 0;
  /** The last applied objects by key: fields omitted in the next apply are removed. */
  readonly #applied = new Map<string, KubernetesObject>();

  /** Undefined: it is. */
  notReady: string | undefined;

  ready = async (): Promise<true | { reason: string }> => (this.notReady === undefined ? true : { reason: this.notReady });
  readyAt = () => this.ready();
  version = async () => "v1.36.3";
  calls = () => this.asked.length;
  close = () => {};

  put(object: KubernetesObject): void {
    const { kind, metadata } = object;
    const uid = metadata.uid ?? `uid-${++this.#uid}`;
    const creationTimestamp = metadata.creationTimestamp ?? `2026-01-01T00:00:00.${String(this.#uid).padStart(9, "0")}Z`;
    this.objects.set(
      keyOf({ kind, ...metadata }),
      structuredClone({ ...object, metadata: { ...metadata, uid, creationTimestamp } }),
    );
  }

  find<T extends KubernetesObject>(of: ObjectRef): T | undefined {
    return structuredClone(this.objects.get(keyOf(of))) as T | undefined;
  }

  all<T extends KubernetesObject>(kind: string): T[] {
    return [...this.objects.values()].filter((one) => one.kind === kind).map((one) => structuredClone(one) as unknown as T);
  }

  get<T extends KubernetesObject>(of: ObjectRef): Promise<T | undefined> {
    return this.#call(`get ${of.kind}`, () => {
      this.#mustKnow(of.kind);
      return this.find<T>(of);
    });
  }

  list<T extends KubernetesObject>(of: ListRef): Promise<T[]> {
    return this.#call(`list ${of.kind}`, () =>
      this.all<T>(of.kind).filter(
        ({ metadata, ...rest }) =>
          (of.namespace === undefined || metadata.namespace === of.namespace) &&
          (!of.fieldSelector?.startsWith("spec.nodeName=") ||
            of.fieldSelector === `spec.nodeName=${(rest as unknown as Pod).spec?.nodeName}`) &&
          matches(of.labelSelector ?? "", metadata.labels ?? {}),
      ),
    );
  }

  apply<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#call(`apply ${object.kind}`, () => {
      const result = this.#wouldBe(object);
      this.put(result);
      this.#applied.set(keyOf({ kind: object.kind, ...object.metadata }), structuredClone(object));
      return result;
    });
  }

  tryApply<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#call(`try ${object.kind}`, () => this.#wouldBe(object));
  }

  knows(of: { kind: string }): Promise<boolean> {
    return Promise.resolve(!this.unknown.has(of.kind));
  }

  // biome-ignore lint/correctness/useYield: nobody here watches.
  async *watch<T extends KubernetesObject>(): AsyncIterable<WatchEvent<T>> {
    throw new Error("a cluster in memory cannot be watched");
  }

  #wouldBe<T extends KubernetesObject>(object: T): T {
    this.#mayBe(object);
    this.onApply(object);
    const key = keyOf({ kind: object.kind, ...object.metadata });
    return serverSideApply(this.find({ ...object, ...object.metadata }), this.#applied.get(key), structuredClone(object)) as T;
  }

  #mustKnow(kind: string): void {
    if (this.unknown.has(kind)) throw remoteError("KUBERNETES_REFUSED", { message: `this cluster knows no ${kind}` });
  }

  #mayBe({ apiVersion, kind, metadata: { namespace } }: KubernetesObject): void {
    this.#mustKnow(kind);
    if (namespace === undefined || ALWAYS_THERE.has(namespace) || this.find({ apiVersion, kind: "Namespace", name: namespace }))
      return;
    const message = `namespaces "${namespace}" not found`;
    throw refused("make it", "memory", { status: 404, reason: "NotFound", message });
  }

  create<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#call(`create ${object.kind}`, () => {
      if (this.find({ ...object, ...object.metadata })) {
        throw refused("create it", "memory", { status: 409, reason: "AlreadyExists", message: "already exists" });
      }
      this.#mayBe(object);
      this.put(object);
      return object;
    });
  }

  delete(of: ObjectRef, options: { uid?: string }): Promise<boolean> {
    return this.#call(`delete ${of.kind}`, () => {
      const there = this.find(of);
      if (there && options.uid !== undefined && there.metadata.uid !== options.uid) {
        throw refused("delete it", "memory", { status: 409, reason: "Conflict", message: "the UID in the precondition differs" });
      }
      if (of.kind === "Job")
        for (const pod of this.#podsOf(of.name)) this.objects.delete(keyOf({ kind: "Pod", ...pod.metadata }));
      const was = this.objects.has(keyOf(of));
      this.drop(of);
      return was;
    });
  }

  merge(of: ObjectRef, patch: Json): Promise<boolean> {
    return this.#call(`merge ${of.kind}`, () => {
      const there = this.find(of);
      if (there) this.put(mergePatch(there, patch) as Stored);
      return there !== undefined;
    });
  }

  evict(pod: { namespace: string; name: string }): Promise<Eviction> {
    return this.#call("evict", () => ({ is: this.objects.delete(keyOf({ kind: "Pod", ...pod })) ? "leaving" : "gone" }));
  }

  logs(pod: { namespace: string; name: string }): Promise<string> {
    return this.#call("logs", () => String(this.objects.get(keyOf({ kind: "Pod", ...pod }))?.log ?? ""));
  }

  async *followLogs(pod: { namespace: string; name: string }): AsyncIterable<string> {
    const text = await this.#call("follow", () => String(this.objects.get(keyOf({ kind: "Pod", ...pod }))?.log ?? ""));
    for (const line of text.split("\n")) if (line !== "") yield line;
  }

  drop(of: { kind: string; namespace?: string; name: string }): void {
    this.objects.delete(keyOf(of));
    this.#applied.delete(keyOf(of));
  }

  /** Kills all running Helm processes permanently, as a reboot of their node would. */
  killHelm(): void {
    for (const job of this.all<Job>("Job")) if (!job.status?.conditions) this.#end(job, "killed", "Failed");
  }

  async #call<T>(what: string, effect: () => T): Promise<T> {
    this.asked.push(what);
    this.#live();
    this.onCall(what, "before");
    const result = effect();
    this.onCall(what, "after");
    return result;
  }

  #podsOf(job: string): Pod[] {
    return this.all<Pod>("Pod").filter(({ metadata }) => metadata.name.startsWith(`${job}-`));
  }

  /** Time passes: one step for each Job that is not at its end. */
  #live(): void {
    for (const job of this.all<Job>("Job")) {
      if (job.status?.conditions || !job.metadata.name.startsWith("helm-")) continue;
      const { name, namespace = "" } = job.metadata;
      const podKey = { kind: "Pod", namespace, name: `${name}-1` };
      const pod = this.objects.get(keyOf(podKey));
      const labels = job.spec.template.metadata?.labels ?? {};
      const become = (phase: string, rest: Record<string, unknown> = {}) =>
        this.put({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { ...podKey, labels },
          status: { phase },
          ...rest,
        } as KubernetesObject);
      if (!pod) become("Pending", { at: STEPS[0] });
      else if (this.mood.noImage !== undefined) {
        const waiting = { reason: "ImagePullBackOff", message: this.mood.noImage };
        become("Pending", {
          at: STEPS[0],
          status: { phase: "Pending", containerStatuses: [{ name: "helm", state: { waiting } }] },
        });
      } else if (pod.at === "made") {
        this.helms++;
        if (this.all<Pod>("Pod").some(({ status }) => status?.phase === "Running")) this.overlaps++;
        become("Running", { at: STEPS[1] });
      } else if (pod.at === "running") this.#moved(job, helmBegins(this, job), become);
      else if (pod.at === "recorded") this.#moved(job, helmFinishes(this, job), become);
    }
  }

  #moved(job: Job, move: HelmMove, become: (phase: string, rest: Record<string, unknown>) => void): void {
    if ("ended" in move) this.#end(job, move.log, move.ended);
    else become("Running", { at: "recorded", log: move.log });
  }

  #end(job: Job, log: string, type: "Complete" | "Failed"): void {
    const { name, namespace = "" } = job.metadata;
    const pod = this.objects.get(keyOf({ kind: "Pod", namespace, name: `${name}-1` }));
    if (pod) Object.assign(pod, { log, at: "ended", status: { phase: type === "Complete" ? "Succeeded" : "Failed" } });
    const reason = type === "Failed" ? { reason: "BackoffLimitExceeded" } : {};
    this.put({ ...job, status: { conditions: [{ type, status: "True", ...reason }] } } as Job);
  }
}
