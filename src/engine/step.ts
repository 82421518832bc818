import type { Where } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Deletion } from "./deletion.ts";

/** A part of a workflow. The workflow gives stages their names and order. */
export type Stage = string;
/** Checks of this stage run while a plan is made; a failing one keeps everything else from starting. */
export const PREFLIGHT: Stage = "preflight";
export type StepId = string;

/** Stands for a value that only exists after a step has run: "(known after …)". */
export interface Later {
  readonly later: StepId;
}
export type Known<T> = T | Later;

export function isLater(value: unknown): value is Later {
  return typeof value === "object" && value !== null && "later" in value && Object.keys(value).length === 1;
}

/** A typed output of a step, which is also an edge of the graph. */
export interface Ref<O> {
  readonly step: StepId;
  readonly _?: O;
}

export type Seen<A> =
  | { is: "absent" }
  | { is: "present"; actual: A; owner: "us" | "shared" | "foreign" }
  /** Never taken for absent. */
  | { is: "unreadable"; why: Error };

export type Verb = "create" | "update" | "restart" | "replace" | "delete" | "run";

export interface Field {
  path: string;
  from: Known<Json>;
  to: Known<Json>;
  /** Printed only as "differs". */
  secret?: true;
  /** Printed only with --verbose. */
  detail?: true;
  /** Its place in the config, without a frame; for a default, the nearest place. */
  where?: Where;
}

export interface Change {
  id: string;
  step: StepId;
  verb: Verb;
  /** The display name: "machine cp-1". */
  subject: string;
  fields: readonly Field[];
  /** Allowed only when the user names this (--allow-remove NAME). */
  needsConsent?: string;
  /** The node that is out of service while this is done. */
  interrupts?: string;
  /** Volumes that are deleted with it. */
  deletes?: readonly Deletion[];
  /** Kubernetes volumes whose only copy is on the removed node: "default/data-0 (pv-1)". */
  loses?: readonly string[];
  /** Allowed only when the user types a name at the terminal: --yes does not cover it. */
  typed?: Typed;
}

export interface Typed {
  name: string;
  /** The data that would be lost: "/dev/sda holds data". */
  why: string;
  /** The setting that can be written into the config instead, and its place. */
  instead: string;
  where?: Where;
}

export interface Condition {
  name: string;
  timeoutMs: number;
  /** How long it took the last time, if that is known: then it is polled rarely before, and often around that time. */
  usualMs?: number | undefined;
  poll(c: Read): Promise<true | { reason: string }>;
}

export interface Finding {
  level: "ok" | "warn" | "fail";
  code: string;
  message: string;
  hint?: string;
  /** The line of the config that it is about. */
  where?: Where;
  /** Only for a check that looks again: what is missing is on its way, such as a pod whose image is being pulled. */
  coming?: true;
}

export interface Lane {
  key: string;
  limit: number;
}

interface Node {
  id: StepId;
  stage: Stage;
  /** The display name: "machine cp-1", "image talos-v1.13.9-amd64-37656798 on pve1". */
  title: string;
  needs: readonly Ref<unknown>[];
  /** Steps that must have ended before, successfully or not: unlike a need, a failed one blocks nothing. */
  after?: readonly Ref<unknown>[];
}

export interface Step<A, O> extends Node {
  kind: "step";
  out: Ref<O>;
  /** The queues that these changes must pass: "etcd": 1, "storage pve1:local-lvm": 2. */
  lanes?(changes: readonly Change[]): readonly Lane[];
  /** May read the outputs it needs; while one is Later, reality cannot be observed yet and `plan` gets that Later. */
  observe(c: Read): Promise<Seen<A>>;
  /** Pure. None = done. */
  plan(seen: Seen<A> | Later, c: Read): Change[];
  /** Findings about observed things that are not changed, such as kept differences and copies. Pure. */
  notes?(seen: Seen<A>, c: Read): Finding[];
  /** Checked live, right before apply; a `fail` stops the step. */
  guard?(changes: readonly Change[], c: Read): Promise<Finding[]>;
  apply(changes: readonly Change[], c: Write): Promise<void>;
  settle?: readonly Condition[];
  /** How long to wait until reality can be observed, when `observe` throws NotYet. 10 minutes when absent. */
  visibleWithinMs?: number;
  /** From reality, never from the journal. */
  output(actual: A): O;
}

/** Returns findings; changes nothing. */
export interface Check extends Node {
  kind: "check";
  /** Selects the changes that depend on it: a plan without any of them leaves the check out. Absent: every plan runs it. Only in the stage preflight. */
  before?(change: Change): boolean;
  /** `changes`: the planned changes that depend on it; absent when everything is checked, as by `doctor`. */
  run(c: Read, changes?: readonly Change[]): Promise<Finding[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of steps holds steps of every type; each is only ever fed its own values.
export type AnyStep = Step<any, any>;
export type WorkItem = AnyStep | Check;

export function isCheck(item: WorkItem): item is Check {
  return item.kind === "check";
}

export interface Read {
  /** The output of a step among `needs`. */
  get<O>(ref: Ref<O>): Known<O>;
  world: World;
  signal: AbortSignal;
  /** One call for many steps: the first one loads, the others get the same result. */
  shared<T>(key: string, load: () => Promise<T>): Promise<T>;
  until(condition: Condition): Promise<void>;
  /** Shows the current work as progress. */
  say(text: string): void;
  /** The title of the first step that failed in this run, after which avoidable risks are not taken. */
  failed(): string | undefined;
}

export interface Write extends Read {
  /** The only way to change the world: written to the journal before, and after. */
  mutate<R extends Json | undefined>(mutation: Mutation, call: () => Promise<R>): Promise<R>;
}

export interface Mutation {
  /** The natural key of the thing that is changed: "vm 10412". */
  key: string;
  /** The action on it: "create machine cp-1". */
  what: string;
  hint?: Json;
}

/** Fills in what every step has in common. */
export function step<A, O>(spec: Omit<Step<A, O>, "kind" | "out" | "needs"> & { needs?: readonly Ref<unknown>[] }): Step<A, O> {
  return { ...spec, needs: spec.needs ?? [], kind: "step", out: { step: spec.id } };
}

export function check(spec: Omit<Check, "kind" | "needs"> & { needs?: readonly Ref<unknown>[] }): Check {
  return { ...spec, needs: spec.needs ?? [], kind: "check" };
}

/**
 * Reality cannot be observed yet. While planning, the step is planned from the Later. While running, a step that names itself is waited for (a machine
 * boots), with the reason shown; naming another step is then a mistake, since that one is done.
 */
export class NotYet extends Error {
  constructor(
    readonly later: Later,
    readonly reason = `known after ${later.later}`,
  ) {
    super(reason);
  }
}

/** The output of a need. While planning, a step that reads it too early is planned from its Later. */
export function known<O>(c: Read, ref: Ref<O>): O {
  const value = c.get(ref);
  if (isLater(value)) throw new NotYet(value);
  return value;
}
