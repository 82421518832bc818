import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Event, EventBody, EventSink } from "./event.ts";

/** Delivers events to views and the journal. Removes secrets here, once for all consumers. */
export class EventBus {
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #listeners: EventSink[] = [];
  #journal: EventSink | undefined;

  constructor(clock: Clock, redactor: Redactor) {
    this.#clock = clock;
    this.#redactor = redactor;
  }

  /** The journal gets every event first. Its errors reach the emitter, so that a mutation that cannot be recorded does not happen. */
  keep(journal: EventSink): void {
    this.#journal = journal;
  }

  listen(listener: EventSink): void {
    this.#listeners.push(listener);
  }

  emit(body: EventBody): void {
    const event: Event = this.#redactor.value({ at: new Date(this.#clock.now()).toISOString(), ...body });
    this.#journal?.(event);
    for (const listener of this.#listeners) listener(event);
  }
}
