import type { Eviction, KubernetesClient, ListRef, ObjectRef } from "../../../kubernetes/client/kubernetes-client.ts";
import { refused } from "../../../kubernetes/client/refusal.ts";
import { decodeRelease } from "../../../kubernetes/helm/stored-release.ts";
import type { Job, KubernetesObject, Pod, Secret } from "../../../kubernetes/objects.ts";
import type { Json } from "../../../lib/json.ts";
import { helmRecord } from "./helm-records.ts";

type Stored = KubernetesObject & { [key: string]: unknown };
const keyOf = (of: { kind: string; namespace?: string | undefined; name: string }) =>
  `${of.kind} ${of.namespace ?? ""}/${of.name}`;

/** Where in its life a Job's pod is; each call to the cluster takes it one step further. */
const STEPS = ["made", "running", "recorded", "ended"] as const;

export interface Mood {
  /** Every Helm that runs fails with this in its log. */
  fails?: string;
  /** The image cannot be pulled. */
  noImage?: boolean;
}

/** A Kubernetes in memory, with Jobs that run a Helm. */
export class MemoryCluster implements KubernetesClient {
  objects = new Map<string, Stored>();
  mood: Mood = {};
  readonly asked: string[] = [];
  /** Called before and after each call; may throw. */
  onCall: (what: string, when: "before" | "after") => void = () => {};
  /** How many Helms were ever begun. */
  helms = 0;
  /** How often one was begun while another ran. */
  overlaps = 0;
  #uid = 0;

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
    return this.#call(`get ${of.kind}`, () => this.find<T>(of));
  }

  list<T extends KubernetesObject>(of: ListRef): Promise<T[]> {
    return this.#call(`list ${of.kind}`, () =>
      this.all<T>(of.kind).filter(
        ({ metadata }) =>
          (of.namespace === undefined || metadata.namespace === of.namespace) &&
          matches(of.labelSelector ?? "", metadata.labels ?? {}),
      ),
    );
  }

  apply<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#call(`apply ${object.kind}`, () => {
      const before = this.find<T>({ ...object, ...object.metadata });
      this.put(before ? { ...object, metadata: { ...before.metadata, ...object.metadata } } : object);
      return object;
    });
  }

  create<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#call(`create ${object.kind}`, () => {
      if (this.find({ ...object, ...object.metadata })) {
        throw refused("create it", "memory", { status: 409, reason: "AlreadyExists", message: "already exists" });
      }
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
      return this.objects.delete(keyOf(of));
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

  /** Kills whatever Helm is running, as a reboot of its node would, for good. */
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
      if (job.status?.conditions) continue;
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
      else if (this.mood.noImage) {
        const waiting = { reason: "ImagePullBackOff", message: "no such image" };
        become("Pending", {
          at: STEPS[0],
          status: { phase: "Pending", containerStatuses: [{ name: "helm", state: { waiting } }] },
        });
      } else if (pod.at === "made") {
        this.helms++;
        if (this.all<Pod>("Pod").some(({ status }) => status?.phase === "Running")) this.overlaps++;
        become("Running", { at: STEPS[1] });
      } else if (pod.at === "running") this.#begin(job, become);
      else if (pod.at === "recorded") this.#finish(job);
    }
  }

  /** What Helm does first: refuse, or record that it is at it. */
  #begin(job: Job, become: (phase: string, rest: Record<string, unknown>) => void): void {
    const { release, records } = this.#helmOf(job);
    const { name, namespace = "" } = job.metadata;
    const rights = this.find({ apiVersion: "", kind: "ClusterRoleBinding", name });
    const account = this.find({ apiVersion: "", kind: "ServiceAccount", namespace, name });
    const pending = records.some(({ metadata }) => metadata.labels?.status?.startsWith("pending-"));
    const refusal =
      !rights || !account
        ? "Error: secrets is forbidden"
        : (this.mood.fails ?? (pending ? "Error: another operation (install/upgrade/rollback) is in progress" : undefined));
    if (refusal !== undefined) {
      this.#end(job, refusal, "Failed");
      return;
    }
    const revision = Math.max(0, ...records.map(({ metadata }) => Number(metadata.labels?.version))) + 1;
    this.put(helmRecord({ ...release, revision, status: revision === 1 ? "pending-install" : "pending-upgrade" }));
    become("Running", { at: "recorded", log: "beginning\ncreating things\n" });
  }

  #finish(job: Job): void {
    const { release, records } = this.#helmOf(job);
    for (const record of records) {
      const last = record.metadata.labels?.status?.startsWith("pending-") ?? false;
      const { revision, chart, version, values } = decodeRelease(record);
      this.put(helmRecord({ ...release, chart, version, config: values, revision, status: last ? "deployed" : "superseded" }));
    }
    this.#end(job, "STATUS: deployed", "Complete");
  }

  #end(job: Job, log: string, type: "Complete" | "Failed"): void {
    const { name, namespace = "" } = job.metadata;
    const pod = this.objects.get(keyOf({ kind: "Pod", namespace, name: `${name}-1` }));
    if (pod) Object.assign(pod, { log, at: "ended", status: { phase: type === "Complete" ? "Succeeded" : "Failed" } });
    const reason = type === "Failed" ? { reason: "BackoffLimitExceeded" } : {};
    this.put({ ...job, status: { conditions: [{ type, status: "True", ...reason }] } } as Job);
  }

  #helmOf(job: Job) {
    const [container] = job.spec.template.spec.containers as unknown as { command: string[] }[];
    const command = container?.command ?? [];
    const flag = (name: string) => command[command.indexOf(name) + 1] ?? "";
    const [name = "", chart = ""] = [command[3], command[4]?.split("/").at(-1)];
    const { metadata } = job;
    const values = this.find<Secret>({
      apiVersion: "",
      kind: "Secret",
      namespace: metadata.namespace ?? "",
      name: metadata.name,
    });
    const config = JSON.parse(Buffer.from(values?.data?.["values.yaml"] ?? "e30=", "base64").toString()) as Json;
    const release = { name, chart, namespace: flag("--namespace"), version: flag("--version"), config };
    const records = this.all<Secret>("Secret").filter(
      ({ metadata: { labels } }) => labels?.owner === "helm" && labels.name === name,
    );
    return { release, records };
  }
}

function matches(selector: string, labels: Record<string, string>): boolean {
  return selector
    .split(",")
    .filter((part) => part !== "")
    .every((part) => {
      const [name = "", value] = part.split(/!?=/);
      if (value === undefined) return labels[name] !== undefined;
      return part.includes("!=") ? labels[name] !== value : labels[name] === value;
    });
}

/** RFC 7386: null removes, objects merge, the rest is replaced. */
function mergePatch(target: unknown, patch: Json): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = typeof target === "object" && target !== null ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value as Json);
  }
  return merged;
}
