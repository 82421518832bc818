import { asTalosmithError, internalError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { EventBus } from "./bus.ts";
import type { Known, Read, Ref, StepId, Write } from "./step.ts";
import { waitUntil } from "./until.ts";

/** Everything that the steps of one command share. */
export interface Session {
  world: World;
  bus: EventBus;
  signal: AbortSignal;
  /** Called right before every mutation; throws when this command may not change anything (any more). */
  mayMutate(): void;
  /** Titles of the steps that have failed in this run, in that order. */
  failures?: readonly string[];
}

export type Outputs = Map<StepId, Known<unknown>>;

/** One pass over reality, in which equal queries share one result. */
export type Pass = Map<string, Promise<unknown>>;

export function readContext(session: Session, step: StepId, outputs: Outputs, pass: Pass): Read {
  const { world, bus, signal } = session;
  const c: Read = {
    world,
    signal,
    get<O>(ref: Ref<O>): Known<O> {
      if (!outputs.has(ref.step))
        throw internalError("GRAPH", { message: `${step} uses the output of ${ref.step} without depending on it` });
      return outputs.get(ref.step) as Known<O>;
    },
    shared<T>(key: string, load: () => Promise<T>): Promise<T> {
      const loading = pass.get(key) ?? load();
      pass.set(key, loading);
      return loading as Promise<T>;
    },
    until: (condition) =>
      waitUntil(condition, c, (reason, elapsedMs) =>
        bus.emit({ type: "step.waiting", step, condition: condition.name, reason, elapsedMs, limitMs: condition.timeoutMs }),
      ),
    say: (text) => bus.emit({ type: "step.progress", step, text }),
    failed: () => session.failures?.[0],
  };
  return c;
}

export function writeContext(session: Session, step: StepId, outputs: Outputs): Write {
  const { bus, signal } = session;
  return {
    ...readContext(session, step, outputs, new Map()),
    // While the world is being changed, results are not shared.
    shared: (_, load) => load(),
    async mutate(mutation, call) {
      signal.throwIfAborted();
      session.mayMutate();
      const { key, what, hint } = mutation;
      bus.emit({ type: "mutation.intent", step, key, what, ...(hint !== undefined && { hint }) });
      try {
        const result = await call();
        bus.emit({ type: "mutation.outcome", step, key, what, ok: true, ...(result !== undefined && { result }) });
        return result;
      } catch (error) {
        bus.emit({ type: "mutation.outcome", step, key, what, ok: false, error: asTalosmithError(error).report() });
        throw error;
      }
    },
  };
}
