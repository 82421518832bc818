import { setMaxListeners } from "node:events";
import { Redactor } from "@talosmith/lib/secret.ts";
import { EventBus } from "../../src/engine/bus.ts";
import type { Session } from "../../src/engine/context.ts";
import type { Event } from "../../src/engine/event.ts";
import { type Change, type Ref, type Step, step } from "../../src/engine/step.ts";
import { type TestWorldOptions, testWorld } from "./test-world.ts";

export interface TestSession extends Session {
  events: Event[];
  redactor: Redactor;
  abort(): void;
}

export function testSession(options: TestWorldOptions = {}): TestSession {
  const world = testWorld(options);
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  bus.listen((event) => events.push(event));
  const stop = new AbortController();
  // Many steps listen to it, as in a real run.
  setMaxListeners(0, stop.signal);
  return {
    world,
    bus,
    redactor,
    events,
    signal: stop.signal,
    abort: () => stop.abort(new Error("interrupted")),
    mayMutate: () => {},
  };
}

/** A world of named numbers, and a step that sets one of them. */
export class Shelf {
  readonly values = new Map<string, number>();
  readonly log: string[] = [];

  step(
    name: string,
    want: number,
    options: Partial<Step<number, number>> & { needs?: readonly Ref<unknown>[] } = {},
  ): Step<number, number> {
    const id = `shelf/${name}`;
    return step<number, number>({
      id,
      stage: "provision",
      title: `number ${name}`,
      observe: async () => {
        this.log.push(`look ${name}`);
        const actual = this.values.get(name);
        return actual === undefined ? { is: "absent" } : { is: "present", actual, owner: "us" };
      },
      plan: (seen): Change[] => {
        const now = "is" in seen && seen.is === "present" ? seen.actual : undefined;
        if (now === want) return [];
        return [
          {
            id,
            step: id,
            verb: now === undefined ? "create" : "update",
            subject: name,
            fields: [{ path: "value", from: now ?? null, to: want }],
          },
        ];
      },
      apply: async (_, c) => {
        await c.mutate({ key: name, what: `put ${name}` }, async () => {
          this.log.push(`put ${name}`);
          this.values.set(name, want);
          return want;
        });
      },
      output: (actual) => actual,
      ...options,
    });
  }
}
