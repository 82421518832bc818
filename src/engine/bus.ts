import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Event, EventBody, EventSink } from "./event.ts";

/** Carries events from where they happen to whoever shows or keeps them. Secrets are taken out here, once, for all of them. */
export class EventBus {
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #listeners: EventSink[] = [];
  #journal: EventSink | undefined;

  constructor(clock: Clock, redactor: Redactor) {
    this.#clock = clock;
    this.#redactor = redactor;
  }

  /** The journal hears everything first, and what it cannot keep does not happen: its errors reach the one who emitted. */
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
