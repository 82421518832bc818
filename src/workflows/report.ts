import type { Event } from "../engine/event.ts";

/** Writes a run down for people while it happens. */
export interface Report {
  event(event: Event): void;
  markdown(): string;
}
